import { statfs } from 'node:fs/promises';
import pg from 'pg';
import { OPERATIONS } from '../../src/operations.ts';
import { asAdmin } from '../support/database.ts';
import { type DatasetSize, fill } from './dataset.ts';
import { type Measured, printGrowth, storeGrowth } from './growthResults.ts';
import { type ReadCost, type Served, serve, settle, totalOf } from './readCosts.ts';
import { readsIn } from './readList.ts';
import {
  dropSizedDatabase,
  type FillReport,
  fillReportOf,
  openSizedDatabase,
  rememberFill,
  type SizedDatabase,
} from './sizedDatabase.ts';
import { statementsThatReadWhole } from './wholeReads.ts';

/** Measured separately, because growth is only meaningful between equal proportions. */
const SIZES = { full: [10_000, 100_000, 1_000_000], lean: [100_000, 10_000_000] } as const;
/** If the largest size does not fit, the next smaller one is tried. */
const SMALLER = 3;
/** Disk space while a database is filled: tables, indexes, temporary files of sorts, and WAL. */
const BYTES_A_POST = { full: 20_000, lean: 4_500 } as const;
const SPARE_BYTES = 5e9;
/** If less disk space than this is free, a database that is being filled is dropped. */
const LEAST_FREE_BYTES = 8e9;
const DISK_CHECK_MS = 5_000;
const LONG_THREAD = 10_000;
const ROUNDS = 2;

type Proportion = keyof typeof SIZES;

/** The part of the measurement to run. */
export interface GrowthOptions {
  /** The largest number of posts. */
  readonly most: number;
  /** Sizes instead of the default ones. */
  readonly sizes?: readonly number[] | undefined;
  /** Measures this proportion alone. */
  readonly only?: string | undefined;
  /** The beginnings of the names of reads; empty for all. */
  readonly reads: readonly string[];
  /** False leaves out searches and their index, which takes longer than everything else. */
  readonly searchable: boolean;
  /** True leaves the filled databases for the next run. */
  readonly keep: boolean;
}

/**
 * Fills a database of each size that fits on the disk, and measures every read on it. Prints the cost of each read and
 * how it grows. Stores a proportion in growth.json if it was measured at all its sizes.
 */
export async function measureGrowth(options: GrowthOptions): Promise<void> {
  requireEveryRead();
  const { most, sizes, only, keep } = options;
  for (const proportion of (Object.keys(SIZES) as Proportion[]).filter((each) => each === (only ?? each))) {
    const filled: Filled[] = [];
    try {
      for (const wanted of (sizes ?? SIZES[proportion]).filter((posts) => posts <= most)) {
        const posts = await sizeThatFits(proportion, wanted);
        if (filled.some(({ size }) => size.posts >= posts)) continue;
        filled.push(await fillSize(sizeOf(proportion, posts), options));
      }
      if (filled.length === 0) continue;
      const costs = await measureReads(filled, options);
      const measured = filled.map(({ size: { posts }, bytes, fillSeconds }, n): Measured => {
        return { posts, bytes, fillSeconds, costs: costs[n]! };
      });
      printGrowth(proportion, measured);
      const whole = await statementsThatReadWhole(filled.at(-1)!.url);
      console.log(whole.length === 0 ? 'No statement joins a large table that it may read whole.' : whole.join('\n'));
      if (!sizes && most === Infinity) await storeGrowth(proportion, 'reads', measured);
    } finally {
      for (const each of filled) await each.close(keep);
    }
  }
}

function requireEveryRead(): void {
  const paths = readsIn(sizeOf('full', 10_000)).map(({ path }) => path.split('?')[0]!);
  for (const { name, method, path } of OPERATIONS) {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    if (method !== 'GET' || paths.some((each) => pattern.test(each))) continue;
    throw new Error(`${name} is measured by no read of readList.ts`);
  }
}

const sizeOf = (proportion: Proportion, posts: number): DatasetSize => ({
  posts,
  agents: posts / 10,
  replies: LONG_THREAD,
  communities: Math.max(20, posts / 1_000),
  lean: proportion === 'lean',
});

const nameOf = (proportion: Proportion, posts: number): string => `bench_${proportion}_${posts}`;

/** The size, or the largest smaller one for which the server's disk has room. */
async function sizeThatFits(proportion: Proportion, wanted: number): Promise<number> {
  const free = await freeBytes(await dataDirectory());
  const isFilled = (await fillReportOf(nameOf(proportion, wanted))) !== undefined;
  let posts = wanted;
  while (!isFilled && posts * BYTES_A_POST[proportion] + SPARE_BYTES > free)
    posts = Math.floor(posts / SMALLER / 1_000) * 1_000;
  const inPlace = posts < wanted ? ` in place of ${count(wanted)}` : '';
  console.log(`${proportion}, ${count(posts)} posts${inPlace}: ${(free / 1e9).toFixed(0)} GB free`);
  return posts;
}

/** The server's data directory on this machine. */
async function dataDirectory(): Promise<string> {
  const { rows } = await asAdmin((admin) => admin.query<{ data_directory: string }>('SHOW data_directory'));
  return rows[0]!.data_directory;
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** A filled database that is served. */
interface Filled {
  readonly size: DatasetSize;
  readonly url: string;
  readonly bytes: number;
  readonly fillSeconds: number;
  readonly served: Served;
  close(keep: boolean): Promise<void>;
}

async function fillSize(size: DatasetSize, { searchable, keep }: GrowthOptions): Promise<Filled> {
  const database = await openSizedDatabase(nameOf(size.lean ? 'lean' : 'full', size.posts), searchable);
  const client = new pg.Client({ connectionString: database.url, options: '-c statement_timeout=0' });
  const release = async (kept: boolean) => {
    await client.end();
    if (kept) console.log(`  ${database.name} is kept`);
    else await dropSizedDatabase(database.name);
  };
  let report = database.filled;
  try {
    report ??= await fillWatched(database, size, searchable);
    await client.connect();
    const { rows } = await client.query<{ bytes: number }>(
      'SELECT pg_database_size(current_database())::float8 AS bytes',
    );
    const { bytes } = rows[0]!;
    const { fillSeconds } = report;
    const perPost = Math.round(bytes / size.posts);
    console.log(`  filled in ${fillSeconds} s: ${(bytes / 1e9).toFixed(2)} GB, ${perPost} bytes a post`);
    const served = await serve(database.url, client);
    const close = async (kept: boolean) => {
      await served.stop();
      await release(kept);
    };
    await settle(client);
    return { size, url: database.url, bytes, fillSeconds, served, close };
  } catch (error) {
    await release(keep && report !== undefined);
    throw error;
  }
}

/** Stops and drops the database when the disk is nearly full. */
async function fillWatched({ name, url }: SizedDatabase, size: DatasetSize, searchable: boolean): Promise<FillReport> {
  const startedAt = performance.now();
  const directory = await dataDirectory();
  const watch = setInterval(async () => {
    if ((await freeBytes(directory)) > LEAST_FREE_BYTES) return;
    clearInterval(watch);
    console.log(`  the disk is nearly full: ${name} is dropped`);
    await dropSizedDatabase(name);
  }, DISK_CHECK_MS);
  try {
    await fill(url, size, { searchable, log: (line) => console.log(`  ${line}`) });
  } finally {
    clearInterval(watch);
  }
  const report = { fillSeconds: Math.round((performance.now() - startedAt) / 1_000), searchable };
  await rememberFill(name, report);
  return report;
}

/**
 * Measures each read on every size alternately, so that other work on the machine affects all sizes alike. The least
 * time of each read counts.
 */
async function measureReads(filled: readonly Filled[], { reads, searchable }: GrowthOptions): Promise<ReadCost[][]> {
  const lists = filled.map(({ size }) => readsIn(size));
  const costs: ReadCost[][] = filled.map(() => []);
  for (const [index, { name, path }] of lists[0]!.entries()) {
    if (!searchable && path.startsWith('/v1/search?')) continue;
    if (reads.length > 0 && !reads.some((each) => name.startsWith(each))) continue;
    const best: ReadCost[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [n, { served }] of filled.entries()) {
        const read = lists[n]![index]!;
        const cost = await served.cost(read);
        if (cost.status !== 200) throw new Error(`${read.path} answers ${cost.status}`);
        best[n] = best[n] && totalOf(best[n]) <= totalOf(cost) ? best[n] : cost;
      }
    }
    costs.forEach((each, n) => {
      each.push(best[n]!);
    });
  }
  return costs;
}

const count = (n: number) => n.toLocaleString('en');
