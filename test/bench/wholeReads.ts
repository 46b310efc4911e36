import pg from 'pg';
import { SESSION_SETTINGS } from '../../src/platform/postgres/session.ts';
import { collectStatements } from '../platform/support/statements.ts';
import { createDatabase } from '../support/database.ts';
import { createTemplate } from '../support/template.ts';

/** Reading a table with this many rows takes longer than a request may. */
const GROWN_ROWS = 100_000;
/** Statements of jobs and commands, which process tables in slices or begin with few rows. */
const OF_JOBS = /^(?:log\.|counts\.|export\.|karma\.verifyHolds|search\.drop|moderation\.erased)/;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

/**
 * Returns the statements of requests whose plan joins a large table that it may have to read whole, with the tables.
 * Measured reads do not show this: such a join stops early if the row is among the first.
 */
export async function statementsThatReadWhole(url: string): Promise<string[]> {
  const declared = await declaredStatements();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SET plan_cache_mode = ${SESSION_SETTINGS.plan_cache_mode}`);
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND reltuples >= ${GROWN_ROWS}`,
    );
    const grown = new Set(rows.map(({ name }) => name));
    const found: string[] = [];
    for (const [name, texts] of declared) {
      if (OF_JOBS.test(name)) continue;
      const tables = readWhole(await planOf(client, [...texts][0]!), false).filter((table) => grown.has(table));
      if (tables.length > 0) found.push(`${name}: ${[...new Set(tables)].join(', ')}`);
    }
    return found;
  } finally {
    await client.end();
  }
}

/** Some statements are declared at their first use. */
async function declaredStatements(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  await createTemplate();
  const asked = await createDatabase();
  try {
    return (await collectStatements(asked.url)).declared;
  } finally {
    await asked.drop();
  }
}

async function planOf(client: pg.Client, text: string): Promise<Plan> {
  await client.query(`PREPARE statement AS ${text}`);
  try {
    const { rows: counted } = await client.query<{ count: number }>(
      `SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = 'statement'`,
    );
    const { count } = counted[0]!;
    const values = count === 0 ? '' : `(${Array(count).fill('NULL').join(', ')})`;
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE statement${values}`,
    );
    return rows[0]!['QUERY PLAN'][0].Plan;
  } finally {
    await client.query('DEALLOCATE statement');
  }
}

/** The tables that a hash or merge join reads without a condition. */
function readWhole(plan: Plan, isJoined: boolean): string[] {
  const type = plan['Node Type'];
  const table = plan['Relation Name'];
  const isWhole = type === 'Seq Scan' || (/^Index/.test(type) && plan['Index Cond'] === undefined);
  const below = isJoined || type === 'Hash Join' || type === 'Merge Join';
  const inside = (plan.Plans ?? []).flatMap((each) => readWhole(each, below));
  return isJoined && isWhole && table !== undefined ? [table, ...inside] : inside;
}
