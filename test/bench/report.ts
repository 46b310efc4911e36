import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { ROUNDS, type ScenarioResult } from './measure.ts';
import { CONCURRENCY, type Stage } from './stage.ts';

const RESULTS = new URL('results.json', import.meta.url);

/** A scenario as a table. Each line is compared with the first. */
export function tableOf({ title, variants, targets }: ScenarioResult): string {
  const rows = variants.map((each, _, [first = each]) => [
    each.title,
    String(each.callsPerSecond),
    each.cpuMicrosecondsPerCall.toFixed(0),
    (first.cpuMicrosecondsPerCall / each.cpuMicrosecondsPerCall).toFixed(2),
    (first.callsPerSecond / each.callsPerSecond).toFixed(2),
    each.medianMs.toFixed(1),
    each.percentile99Ms.toFixed(1),
  ]);
  const head = [title, 'calls/s', 'CPU µs', 'CPU: first ÷ this', 'calls/s: first ÷ this', 'p50 ms', 'p99 ms'];
  const verdicts = targets.map(
    (each) => `${each.met ? 'met   ' : 'MISSED'} ${each.title}: ${each.ratio}, ${each.bound}`,
  );
  return [...aligned([head, ...rows]), ...verdicts].join('\n');
}

function aligned(rows: readonly string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
  );
}

/** As in `PostgreSQL 15.18 (Debian 15.18-0+deb12u1), Node 24`. The embedded server has no brackets. */
export async function serverOf({ database }: Stage): Promise<string> {
  const { rows } = await database.pool.query<{ server_version: string }>('SHOW server_version');
  return `PostgreSQL ${rows[0]!.server_version}, Node ${process.versions.node.split('.')[0]}`;
}

/** One run of the whole bench. */
export interface RunResult {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly node: string;
  readonly cpus: number;
  readonly concurrency: number;
  readonly rounds: number;
  readonly scenarios: readonly ScenarioResult[];
}

/** The last run on each server and version of Node, by the name that `serverOf` returns. */
export type Results = Readonly<Record<string, RunResult>>;

export const readResults = async (): Promise<Results> => JSON.parse(await readFile(RESULTS, 'utf8')) as Results;

/** Stores a run beside those of other servers and returns them all. The results do not identify the machine. */
export async function writeResults(server: string, scenarios: readonly ScenarioResult[]): Promise<Results> {
  const run: RunResult = {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cpus: availableParallelism(),
    concurrency: CONCURRENCY,
    rounds: ROUNDS,
    scenarios,
  };
  const results = { ...(await readResults()), [server]: run };
  await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  return results;
}
