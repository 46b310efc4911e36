import assert from 'node:assert/strict';
import { RELEASE } from '../../src/platform/postgres/release.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

interface SqlFunction {
  readonly name: string;
  readonly language: string;
  readonly body: string;
  readonly parameters: readonly string[];
}

/** What only looks like a call with a column, each with what it is called with. */
const CALLED_WITH_VARIABLES: Readonly<Record<string, string>> = {
  karma_locked: 'a field of a record variable, whose collation is the default',
  karma_vote: 'fields of a record variable, beside parameters of the caller',
  karma_settle_challenge: 'the identifier that its caller was given; the columns beside it are numbers',
};

/**
 * A parameter takes the collation of what the function is called with, and a comparison with a column of another one
 * cannot use the column's index. Identifiers are in columns of both collations, so a function that may be called
 * with a column names the collation where it meets one of the other kind.
 */
describe('the collation of parameters', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());

  it('is that of the compared column, with any argument of the function', async () => {
    const functions = await sqlFunctions();
    const calledWithColumns = functions.filter(
      ({ name }) => !(name in CALLED_WITH_VARIABLES) && isCalledWithColumn(name, functions),
    );
    assert.ok(calledWithColumns.length > 3, 'hardly a function was looked at');
    const wrong: string[] = [];
    for (const { name, body, parameters } of calledWithColumns) {
      for (const [comparison, column] of comparisons(body, parameters)) {
        const collations = await collationsOf(column);
        if (collations.has('default') && !comparison.includes('COLLATE')) wrong.push(`${name}: ${comparison}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  async function sqlFunctions(): Promise<SqlFunction[]> {
    const { rows } = await database.pool.query<SqlFunction>(
      `SELECT p.proname AS name, l.lanname AS language, p.prosrc AS body,
              coalesce((SELECT array_agg(a.name) FROM unnest(p.proargnames, p.proargtypes::oid[]) AS a (name, type)
                        WHERE a.type = 'text'::regtype), '{}') AS parameters
       FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
       WHERE p.pronamespace = '${RELEASE}'::regnamespace AND l.lanname IN ('sql', 'plpgsql')`,
    );
    return rows.filter(({ parameters }) => parameters.length > 0);
  }

  async function collationsOf(column: string): Promise<Set<string>> {
    const { rows } = await database.pool.query<{ collation: string }>(
      `SELECT DISTINCT c.collname AS collation FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid AND t.relkind = 'r'
       JOIN pg_collation c ON c.oid = a.attcollation
       WHERE t.relnamespace = 'public'::regnamespace AND a.attname = $1`,
      [column],
    );
    return new Set(rows.map(({ collation }) => collation));
  }
});

/** True when some function calls this one with a column, `x.slug` or the like, as an argument. */
const isCalledWithColumn = (name: string, functions: readonly SqlFunction[]): boolean =>
  functions.some(({ body }) => new RegExp(`\\b${name}\\([^)]*\\b[a-z]\\w*\\.[a-z_]+`).test(body));

/** Where a text parameter is compared with a column: the comparison with what follows it, and the column's name. */
function comparisons(body: string, parameters: readonly string[]): [string, string][] {
  return parameters.flatMap((parameter) =>
    [...body.matchAll(new RegExp(`(?:\\b\\w+\\.)?(\\w+) = ${parameter}\\b(?: COLLATE "\\w+")?`, 'g'))].map(
      ([comparison, column]): [string, string] => [comparison, column!],
    ),
  );
}
