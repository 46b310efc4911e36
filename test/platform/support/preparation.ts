import type pg from 'pg';

/** A column of what a prepared statement answers. */
export interface ResultColumn {
  readonly name: string;
  readonly type: string;
}

/** What `pg` calls while it speaks the protocol for a query of another kind than its own. */
interface Wire {
  parse(message: { name: string; text: string; types: number[] }): void;
  describe(message: { type: 'S'; name: string }): void;
  sync(): void;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Prepares a statement under a name on one connection; resolves to its columns, none where it answers no rows. */
export function prepare(client: pg.ClientBase, name: string, text: string): Promise<ResultColumn[]> {
  return new Promise((resolve, reject) => {
    let columns: ResultColumn[] = [];
    let failure: Error | undefined;
    const query = {
      submit(wire: Wire) {
        wire.parse({ name, text, types: [] });
        wire.describe({ type: 'S', name });
        wire.sync();
      },
      handleRowDescription({ fields }: { fields: readonly Field[] }) {
        columns = fields.map((field) => ({ name: field.name, type: String(field.dataTypeID) }));
      },
      handleError(error: Error) {
        failure = error;
      },
      handleReadyForQuery: () => (failure ? reject(failure) : resolve(columns)),
    };
    client.query(query as unknown as pg.Submittable);
  });
}
