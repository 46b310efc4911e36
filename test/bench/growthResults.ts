import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { type ReadCost, shown, totalOf } from './readCosts.ts';

const RESULTS = new URL('growth.json', import.meta.url);

/** What reads cost at one size. */
export interface Measured {
  readonly posts: number;
  readonly bytes: number;
  readonly fillSeconds?: number;
  readonly reads: readonly ReadCost[];
}

/** What growth.json holds of one proportion, with how busy the machine was: the mean of the last quarter of an hour. */
interface Results {
  readonly note?: string;
  readonly node: string;
  readonly cpus: number;
  readonly load?: number;
  readonly sizes: readonly Measured[];
}

/** A line a read: database and API at each size and the median wait, and both together at each size against the one before. */
export function printGrowth(proportion: string, sizes: readonly Measured[]): void {
  const head = sizes.map(({ posts }) => posts.toLocaleString('en').padStart(24)).join('');
  console.log(`\n${`${proportion}: CPU ms, database + API; ms`.padEnd(34)}${head}  growth`);
  sizes[0]!.reads.forEach(({ name }, index) => {
    const costs = sizes.map(({ reads }) => reads[index]!);
    const whole = costs.map(totalOf);
    const growth = whole.slice(1).map((each, n) => (each / whole[n]!).toFixed(2));
    const figures = costs
      .map(({ databaseMs, apiMs, medianMs = 0 }) =>
        `${shown(databaseMs)} + ${shown(apiMs)}; ${shown(medianMs)}`.padStart(24),
      )
      .join('');
    console.log(`${name.padEnd(34)}${figures}  ${growth.join(' ')}`);
  });
}

/** Puts them in the place of what growth.json holds of their proportion; of sizes that it has, reads not among these stay. */
export async function storeGrowth(proportion: string, measured: readonly Measured[]): Promise<void> {
  const results = JSON.parse(await readFile(RESULTS, 'utf8')) as Record<string, Results>;
  const before = results[proportion]?.sizes ?? [];
  const sizes = measured.map((each) => {
    const fresh = new Map(each.reads.map((read) => [read.name, read]));
    const known = before.find(({ posts }) => posts === each.posts)?.reads ?? [];
    const reads = known.map((read) => fresh.get(read.name) ?? read);
    const added = each.reads.filter(({ name }) => !known.some((read) => read.name === name));
    return { ...each, reads: [...reads, ...added] };
  });
  const load = Math.round(loadavg()[2]! * 10) / 10;
  results[proportion] = { node: process.versions.node, cpus: availableParallelism(), load, sizes };
  await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
}
