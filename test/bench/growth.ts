import { statfs, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import pg from 'pg';
import { OPERATIONS } from '../../src/operations.ts';
import { createDatabase } from '../support/database.ts';
import { createTemplate } from '../support/template.ts';
import { type DatasetSize, fill } from './dataset.ts';
import { type ReadCost, type Served, serve, settle, shown } from './readCosts.ts';
import { readsIn } from './readList.ts';

const RESULTS = new URL('growth.json', import.meta.url);
/** Apart, because growth is told between equal proportions alone. */
const SIZES = { full: [10_000, 100_000, 1_000_000], lean: [100_000, 10_000_000] } as const;
/** Where the largest does not fit, the next that does. */
const SMALLER = 3;
/** On the disk while it is filled: tables, indexes, what sorts put aside, and the log of the server. */
const BYTES_A_POST = { full: 20_000, lean: 4_500 } as const;
const SPARE_BYTES = 5e9;
const LONG_THREAD = 10_000;
const ROUNDS = 2;
/** They ask a log that nobody has filled; a page of it is a place in an index, whatever its size. */
const OF_THE_LOG = ['post.proof', 'reply.proof', 'governance.proof', 'write.proof', 'log.entry'];

type Proportion = keyof typeof SIZES;

interface Measured {
  readonly proportion: Proportion;
  readonly posts: number;
  readonly bytes: number;
  readonly fillSeconds: number;
  readonly reads: readonly ReadCost[];
}

/**
 * Fills a database of each size, none over `most` posts and none that the disk does not hold, and measures every read
 * on them; prints what each costs and how that grows, and writes growth.json where nothing was left out by `most`. Without
 * `searchable` searches are left out, with their index, which takes longer than all the rest.
 */
export async function measureGrowth({ most, searchable }: { most: number; searchable: boolean }): Promise<void> {
  requireEveryRead();
  await createTemplate();
  const measured: Measured[] = [];
  for (const proportion of Object.keys(SIZES) as Proportion[]) {
    const filled: Filled[] = [];
    try {
      for (const wanted of SIZES[proportion].filter((posts) => posts <= most)) {
        const posts = await sizeThatFits(proportion, wanted);
        if (filled.some(({ size }) => size.posts >= posts)) continue;
        filled.push(await fillSize(sizeOf(proportion, posts), searchable));
      }
      if (filled.length === 0) continue;
      const costs = await measureReads(filled, searchable);
      const ofProportion = filled.map(({ size: { posts }, bytes, fillSeconds }, n) => {
        return { proportion, posts, bytes, fillSeconds, reads: costs[n]! };
      });
      print(ofProportion);
      measured.push(...ofProportion);
    } finally {
      for (const each of filled) await each.close();
    }
  }
  if (most < Infinity) return;
  const environment = { node: process.versions.node, cpus: availableParallelism() };
  await writeFile(RESULTS, `${JSON.stringify({ ...environment, sizes: measured }, null, 2)}\n`);
}

function requireEveryRead(): void {
  const paths = readsIn(sizeOf('full', 10_000)).map(({ path }) => path.split('?')[0]!);
  for (const { name, method, path } of OPERATIONS) {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    if (method !== 'GET' || OF_THE_LOG.includes(name) || paths.some((each) => pattern.test(each))) continue;
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

/** The size, or the largest below it for which there is room where the server keeps its data. */
async function sizeThatFits(proportion: Proportion, wanted: number): Promise<number> {
  const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  await client.end();
  const { bavail, bsize } = await statfs(rows[0]!.data_directory);
  let posts = wanted;
  while (posts * BYTES_A_POST[proportion] + SPARE_BYTES > bavail * bsize)
    posts = Math.floor(posts / SMALLER / 100) * 100;
  const free = `${((bavail * bsize) / 1e9).toFixed(0)} GB free`;
  console.log(`${proportion}, ${count(posts)} posts${posts < wanted ? ` in place of ${count(wanted)}` : ''}: ${free}`);
  return posts;
}

/** A filled database that is served. */
interface Filled {
  readonly size: DatasetSize;
  readonly bytes: number;
  readonly fillSeconds: number;
  readonly served: Served;
  close(): Promise<void>;
}

async function fillSize(size: DatasetSize, searchable: boolean): Promise<Filled> {
  const database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url, options: '-c statement_timeout=0' });
  const drop = async () => {
    await client.end();
    await database.drop();
  };
  try {
    const startedAt = performance.now();
    await fill(database.url, size, { searchable, log: (line) => console.log(`  ${line}`) });
    const fillSeconds = Math.round((performance.now() - startedAt) / 1_000);
    await client.connect();
    const { rows } = await client.query<{ bytes: number }>(
      'SELECT pg_database_size(current_database())::float8 AS bytes',
    );
    const { bytes } = rows[0]!;
    const perPost = Math.round(bytes / size.posts);
    console.log(`  filled in ${fillSeconds} s: ${(bytes / 1e9).toFixed(2)} GB, ${perPost} bytes a post`);
    const served = await serve(database.url, client);
    const close = async () => {
      await served.stop();
      await drop();
    };
    await settle(client);
    return { size, bytes, fillSeconds, served, close };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Each read on every size in turns, so that whatever else the machine does befalls all of them; the least of each counts. */
async function measureReads(filled: readonly Filled[], searchable: boolean): Promise<ReadCost[][]> {
  const lists = filled.map(({ size }) => readsIn(size));
  const costs: ReadCost[][] = filled.map(() => []);
  for (const [index, { name }] of lists[0]!.entries()) {
    if (!searchable && name.startsWith('search')) continue;
    const best: ReadCost[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [n, { served }] of filled.entries()) {
        const read = lists[n]![index]!;
        const cost = await served.cost(read);
        if (cost.status !== 200) throw new Error(`${read.path} answers ${cost.status}`);
        best[n] = best[n] && total(best[n]) <= total(cost) ? best[n] : cost;
      }
    }
    costs.forEach((each, n) => {
      each.push(best[n]!);
    });
  }
  return costs;
}

const total = ({ databaseMs, apiMs }: ReadCost): number => databaseMs + apiMs;

/** A line a read: database and API at each size, and both together at the last against the second last and the first. */
function print(sizes: readonly Measured[]): void {
  const first = sizes[0]!;
  const head = sizes.map(({ posts }) => count(posts).padStart(16)).join('');
  console.log(`\n${`${first.proportion}: CPU ms, database + API`.padEnd(34)}${head}  growth`);
  first.reads.forEach(({ name }, index) => {
    const costs = sizes.map(({ reads }) => reads[index]!);
    const whole = costs.map(total);
    const growth = whole.slice(1).map((each, n) => (each / whole[n]!).toFixed(2));
    const figures = costs
      .map(({ databaseMs, apiMs }) => `${shown(databaseMs)} + ${shown(apiMs)}`.padStart(16))
      .join('');
    console.log(`${name.padEnd(34)}${figures}  ${growth.join(' ')}`);
  });
}

const count = (n: number) => n.toLocaleString('en');
