import pg from 'pg';

/** A node of a plan, as `EXPLAIN (ANALYZE, FORMAT JSON)` writes it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** One execution of a statement, or of one inside a function, as the server planned and counted it. */
export interface Execution {
  readonly text: string;
  readonly usedJit: boolean;
  /** Rows that scans looked at, whether they kept them or not, by table. */
  readonly visited: ReadonlyMap<string, number>;
  /** Rows returned, or written. */
  readonly answered: number;
  readonly scannedTables: readonly string[];
}

/** Logs the plan of each statement: a module of its own, loaded into every session of the role in the database. */
const TELL_PLANS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

/** Makes later sessions tell their plans to their clients. Needs a superuser. */
export async function tellPlans(connection: { query(text: string): Promise<unknown> }): Promise<void> {
  const commands = Object.entries(TELL_PLANS).map(
    ([name, value]) =>
      `EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %I SET ${name} = %L', current_database(), '${value}');`,
  );
  await connection.query(`DO $$ BEGIN ${commands.join(' ')} END $$`);
}

/**
 * Listens to the connections of one application that this process opens from now on; `stop` puts the driver back as it
 * was.
 */
export function listenToPlans(application: RegExp, onExecution: (execution: Execution) => void): { stop(): void } {
  const original = pg.Client.prototype.connect;
  function connectAndListen(this: pg.Client, ...args: Parameters<typeof original>) {
    this.on('notice', ({ message }) => {
      const { application_name: name = '' } = (this as unknown as { connectionParameters: pg.ClientConfig })
        .connectionParameters;
      const execution = application.test(name) ? executionIn(message ?? '') : undefined;
      if (execution) onExecution(execution);
    });
    return original.apply(this, args);
  }
  pg.Client.prototype.connect = connectAndListen as typeof original;
  return {
    stop: () => {
      pg.Client.prototype.connect = original;
    },
  };
}

function executionIn(message: string): Execution | undefined {
  const [, json] = /^duration: [\d.]+ ms {2}plan:\n([\s\S]+)$/.exec(message) ?? [];
  if (json === undefined) return undefined;
  const told = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode; JIT?: object };
  const nodes = flattened(told.Plan);
  return {
    text: told['Query Text'],
    usedJit: told.JIT !== undefined,
    visited: visitedByTable(nodes),
    answered: Math.max(...[told.Plan, ...(told.Plan.Plans ?? [])].map(answeredBy)),
    scannedTables: nodes.flatMap((node) =>
      node['Node Type'] === 'Seq Scan' && visitedBy(node) > 0 ? [node['Relation Name']!] : [],
    ),
  };
}

const flattened = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flattened)];

const answeredBy = (node: PlanNode): number => (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0);

function visitedByTable(nodes: readonly PlanNode[]): Map<string, number> {
  const visited = new Map<string, number>();
  for (const node of nodes) {
    const table = node['Relation Name'];
    if (table !== undefined) visited.set(table, (visited.get(table) ?? 0) + visitedBy(node));
  }
  return visited;
}

function visitedBy(node: PlanNode): number {
  if (node['Relation Name'] === undefined || !node['Node Type'].endsWith('Scan')) return 0;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return ((node['Actual Rows'] ?? 0) + removed) * (node['Actual Loops'] ?? 0);
}
