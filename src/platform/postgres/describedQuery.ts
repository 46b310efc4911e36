import pg from 'pg';

/** The driver's query and its connection, as far as they are not in its types. */
interface DriverQuery extends pg.Submittable {
  name?: string;
  callback(error: Error | null, result: pg.QueryResult): void;
  _result: Columns;
  _accumulateRows: boolean;
  handleRowDescription(message: object): void;
  prepare(connection: DriverConnection): void;
  _getRows(connection: DriverConnection): void;
}
/** How the columns of a result are read, and a row of it without values. */
interface Columns {
  fields: readonly object[];
  _parsers: readonly unknown[];
  _prebuiltEmptyResultObject: object;
}
interface DriverConnection {
  readonly stream: { write(bytes: Uint8Array): void };
  describe(message: object): void;
}
/** It has these two parameters beside the object that is in its types. */
const DriverQuery = pg.Query as unknown as new (text: string, values: readonly unknown[]) => DriverQuery;

/** What a connection was told of its prepared statements, by name: it holds for as long as it has them. */
interface Told {
  readonly columns: Map<string, Columns>;
  /** The connection, without its way to ask. */
  readonly quiet: DriverConnection;
}
const told = new WeakMap<DriverConnection, Told>();

/** Execute, of the unnamed portal and all its rows, and Sync: what the driver sends as two. */
const EXECUTE_AND_SYNC = Buffer.from('450000000900000000005300000004', 'hex');

/**
 * The driver has the server describe the columns of a prepared statement each time that it is executed. Here a connection
 * asks until it was told: to ask, to answer and to read that costs both sides some microseconds, more with many columns.
 */
export class DescribedQuery extends DriverQuery {
  #told: Told | undefined;

  override prepare(connection: DriverConnection): void {
    this.#told = toldOf(connection);
    const columns = this.name === undefined ? undefined : this.#told.columns.get(this.name);
    if (columns) {
      this._result.fields = columns.fields;
      this._result._parsers = columns._parsers;
      this._result._prebuiltEmptyResultObject = columns._prebuiltEmptyResultObject;
      this._accumulateRows = true;
    }
    super.prepare(columns ? this.#told.quiet : connection);
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    if (this.name !== undefined) this.#told?.columns.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }

  override _getRows(connection: DriverConnection): void {
    connection.stream.write(EXECUTE_AND_SYNC);
  }
}

function toldOf(connection: DriverConnection): Told {
  const known = told.get(connection);
  if (known) return known;
  const quiet = Object.create(connection, { describe: { value: () => undefined } }) as DriverConnection;
  const begun: Told = { columns: new Map(), quiet };
  told.set(connection, begun);
  return begun;
}
