import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { type ReadCost, shown, totalOf } from './readCosts.ts';

const RESULTS = new URL('growth.json', import.meta.url);

/** The cost of operations at one size. */
export interface Measured {
  readonly posts: number;
  /** The size of the filled database. */
  readonly bytes?: number;
  readonly fillSeconds?: number;
  readonly costs: readonly ReadCost[];
}

type Part = 'reads' | 'writes';

/** The stored form of a measurement. */
interface Stored extends Omit<Measured, 'costs'>, Partial<Record<Part, readonly ReadCost[]>> {}

/** The results of one proportion in growth.json, with the mean load of the machine in the last 15 minutes. */
interface Results {
  readonly note?: string;
  readonly node: string;
  readonly cpus: number;
  readonly load?: number;
  readonly sizes: readonly Stored[];
}

/**
 * Prints one line per operation: the cost of database and API at each size, the median wait, and the ratio to the size
 * before.
 */
export function printGrowth(title: string, sizes: readonly Pick<Measured, 'posts' | 'costs'>[]): void {
  const head = sizes.map(({ posts }) => posts.toLocaleString('en').padStart(24)).join('');
  console.log(`\n${`${title}: CPU ms, database + API; ms`.padEnd(34)}${head}  growth`);
  sizes[0]!.costs.forEach(({ name }, index) => {
    const costs = sizes.map((size) => size.costs[index]!);
    const whole = costs.map(totalOf);
    const growth = whole.slice(1).map((each, n) => (each / whole[n]!).toFixed(2));
    const figures = costs.map(figuresOf).join('');
    console.log(`${name.padEnd(34)}${figures}  ${growth.join(' ')}`);
  });
}

function figuresOf({ databaseMs, apiMs, medianMs }: ReadCost): string {
  const wait = medianMs === undefined ? '' : `; ${shown(medianMs)}`;
  return `${shown(databaseMs)} + ${shown(apiMs)}${wait}`.padStart(24);
}

/** Replaces the results of a proportion in growth.json. Sizes and parts that were not measured keep their results. */
export async function storeGrowth(proportion: string, part: Part, measured: readonly Measured[]): Promise<void> {
  const results = JSON.parse(await readFile(RESULTS, 'utf8')) as Record<string, Results>;
  const before = results[proportion]?.sizes ?? [];
  const sizes = measured.map(({ costs, ...size }): Stored => {
    const known = before.find(({ posts }) => posts === size.posts);
    const fresh = new Map(costs.map((each) => [each.name, each]));
    const kept = (known?.[part] ?? []).map((each) => fresh.get(each.name) ?? each);
    const added = costs.filter(({ name }) => !kept.some((each) => each.name === name));
    return { ...known, ...size, [part]: [...kept, ...added] };
  });
  const load = Math.round(loadavg()[2]! * 10) / 10;
  results[proportion] = { node: process.versions.node, cpus: availableParallelism(), load, sizes };
  await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
}
