import type { Db, Statement } from '../../src/platform/postgres/postgres.ts';

/** One statement with its parameters. */
export interface Execution {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/**
 * Returns the statements that store functions send, so that a lower bound runs the same ones even after the stores
 * change.
 */
export async function executionsOf(query: (db: Db) => Promise<unknown>): Promise<Execution[]> {
  const sent: Execution[] = [];
  await query({
    query: async (statement, values = []) => {
      sent.push({ statement, values });
      return [];
    },
  });
  return sent;
}

/** The path that makes the bare query server run its statements, each with its parameters. */
export const queryPath = (executions: readonly Execution[]): string =>
  `/${encodeURIComponent(JSON.stringify(executions.map(({ values }) => values)))}`;
