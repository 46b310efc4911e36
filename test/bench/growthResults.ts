import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { type ReadCost, shown, totalOf } from './readCosts.ts';

const RESULTS = new URL('growth.json', import.meta.url);

/** What operations cost at one size. */
export interface Measured {
  readonly posts: number;
  /** As it was filled. */
  readonly bytes?: number;
  readonly fillSeconds?: number;
  readonly costs: readonly ReadCost[];
}

type Part = 'reads' | 'writes';

/** The same as it is stored. */
interface Stored extends Omit<Measured, 'costs'>, Partial<Record<Part, readonly ReadCost[]>> {}

/** What growth.json holds of one proportion, with how busy the machine was: the mean of the last quarter of an hour. */
interface Results {
  readonly note?: string;
  readonly node: string;
  readonly cpus: number;
  readonly load?: number;
  readonly sizes: readonly Stored[];
}

/** A line each: database and API at each size and the median wait, and both together at each size against the one before. */
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

/**
 * Puts them in the place of what growth.json holds of their proportion; of sizes that it has, what is not among these stays, and
 * so does the other part.
 */
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
