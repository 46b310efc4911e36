// `npm run bench:data`: measures the cost of every read at several sizes, up to ten million posts, and how the cost
// grows. `--only lean` measures one proportion; `--most 100000` leaves out larger sizes; `--no-search` leaves out
// searches and their index, which takes longest to fill. `--sizes 300000` replaces the sizes of the report; `--reads
// search,dossier` chooses reads by the start of their names. `--keep` leaves the filled databases (bench_lean_10000000)
// for the next run. With names (`search`, `feed`, `thread`, `review`) it prints the database time of those reads among
// a million posts. Then `--posts 100000` uses fewer posts, and `--plans` prints the plan of each statement.
// BENCH_DATABASE_URL names a database that an earlier run filled.
import { parseArgs } from 'node:util';
import { type Db, Postgres } from '../../src/platform/postgres/postgres.ts';
import { createDatabase } from '../support/database.ts';
import { startTestServices } from '../support/services.ts';
import { createTemplate } from '../support/template.ts';
import { FULL_SIZE, fill } from './dataset.ts';
import { measureGrowth } from './growth.ts';
import { feedPages } from './scenarios/feed.ts';
import { reviewPages } from './scenarios/review.ts';
import { searchPages } from './scenarios/search.ts';
import { threadPages } from './scenarios/thread.ts';
import { anonymousContext, type DataScenario, TimedDb, type TimedRead } from './timedRead.ts';

const SCENARIOS: readonly DataScenario[] = [searchPages, feedPages, threadPages, reviewPages];
const WARM_UP_RUNS = 5;
const RUNS = 41;

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    plans: { type: 'boolean', default: false },
    posts: { type: 'string' },
    most: { type: 'string' },
    sizes: { type: 'string' },
    only: { type: 'string' },
    reads: { type: 'string' },
    keep: { type: 'boolean', default: false },
    search: { type: 'boolean', default: true },
  },
});
const chosen = SCENARIOS.filter(({ name }) => names.includes(name));
if (chosen.length < names.length) throw new Error(`There are: ${SCENARIOS.map(({ name }) => name).join(', ')}`);

const services = await startTestServices();
try {
  process.env.TEST_DATABASE_URL = services.databaseUrl;
  process.env.TEST_REDIS_URL = services.redisUrl;
  if (chosen.length > 0) await measureScenarios();
  else
    await measureGrowth({
      most: Number(options.most ?? Infinity),
      sizes: options.sizes?.split(',').map(Number),
      only: options.only,
      reads: options.reads?.split(',').filter((name) => name !== '') ?? [],
      searchable: options.search,
      keep: options.keep,
    });
} finally {
  await services.stop();
}

async function measureScenarios(): Promise<void> {
  const filled = process.env.BENCH_DATABASE_URL;
  const database = filled ? undefined : await fillDatabase();
  const url = filled ?? database!.url;
  const db = new Postgres({ url, maxConnections: 1, readConnections: 1, applicationName: 'forum bench' });
  for (const scenario of chosen) await report(scenario, db);
  await db.close();
  await database?.drop();
}

async function fillDatabase() {
  await createTemplate();
  const database = await createDatabase();
  const size = { ...FULL_SIZE, posts: Number(options.posts ?? FULL_SIZE.posts) };
  await fill(database.url, size, { searchable: chosen.includes(searchPages), log: (line) => console.log(line) });
  return database;
}

/** Prints the scenario's reads: least, median and most of their database time against the target. */
async function report(scenario: DataScenario, db: Db): Promise<void> {
  console.log(
    `\n${scenario.title.padEnd(40)}${'min ms'.padStart(8)}${'p50 ms'.padStart(8)}${'max ms'.padStart(8)}  statements`,
  );
  for (const read of await scenario.reads(db)) {
    const { times, timed } = await measured(read, db);
    const median = times[Math.floor(times.length / 2)]!;
    const verdict = median <= read.atMostMs ? `met, at most ${read.atMostMs}` : `MISSED ${read.atMostMs}`;
    const figures = [times[0]!, median, times.at(-1)!].map((ms) => ms.toFixed(2).padStart(8)).join('');
    console.log(`${read.title.padEnd(40)}${figures}  ${String(timed.sent.length).padEnd(4)}${verdict}`);
    if (options.plans) for (const sent of timed.sent) console.log(await planOf(sent, db));
  }
}

/** Database time of each run, sorted, and the statements of the last run. */
async function measured(read: TimedRead, db: Db): Promise<{ times: number[]; timed: TimedDb }> {
  const times: number[] = [];
  let timed = new TimedDb(db);
  for (let run = 0; run < WARM_UP_RUNS + RUNS; run++) {
    timed = new TimedDb(db);
    await read.run(anonymousContext(timed));
    if (run >= WARM_UP_RUNS) times.push(timed.elapsedMs);
  }
  return { times: times.toSorted((a, b) => a - b), timed };
}

/** The plan for these values, with the time of each node. */
async function planOf({ statement, values }: TimedDb['sent'][number], db: Db): Promise<string> {
  const text = `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ${statement.text}`;
  const rows = await db.query<{ 'QUERY PLAN': string }>({ name: '', text }, values, { timeoutMs: 10_000 });
  return rows.map((row) => `    ${row['QUERY PLAN']}`).join('\n');
}
