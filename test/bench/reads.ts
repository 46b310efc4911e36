// `npm run bench:reads`: measures the CPU that each kind of read costs the database and the API, in milliseconds per
// request, on a forum in use. Options: `--posts 100000`, `--agents 100000`; names choose reads. `--waiting 100000`
// stops the worker and leaves that many events undelivered; `--held 60000` writes that many under an open snapshot.
// BENCH_DATABASE_URL names a database on your own server: it is filled if it is empty, and kept. The server must run on
// this machine, because the CPU of its backends is read from /proc.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { migrateLatest } from '../../migrations/run.ts';
import { RELEASE } from '../../src/platform/postgres/release.ts';
import { createDatabase } from '../support/database.ts';
import { startTestServices } from '../support/services.ts';
import { createTemplate } from '../support/template.ts';
import { CROWDED, fill } from './dataset.ts';
import { serve, settle, shown } from './readCosts.ts';
import { READS } from './readList.ts';

const CALLERS = 8;

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    posts: { type: 'string', default: '100000' },
    agents: { type: 'string', default: '100000' },
    waiting: { type: 'string', default: '0' },
    held: { type: 'string', default: '0' },
  },
});

const own = process.env.BENCH_DATABASE_URL;
if (own) process.env.TEST_DATABASE_URL = own;
const services = await startTestServices();
process.env.TEST_DATABASE_URL = services.databaseUrl;
process.env.TEST_REDIS_URL = services.redisUrl;
const database = own ? undefined : await templateCopy();
const url = own ?? database!.url;
const client = new pg.Client({ connectionString: url, options: '-c statement_timeout=0' });
try {
  await client.connect();
  await fillIfEmpty();
  await measureAll();
} finally {
  await client.end();
  await database?.drop();
  await services.stop();
}

async function templateCopy() {
  await createTemplate();
  return createDatabase();
}

async function fillIfEmpty(): Promise<void> {
  await migrateLatest(url);
  const { rows } = await client.query('SELECT FROM posts LIMIT 1');
  if (rows.length > 0) return;
  const size = { posts: Number(options.posts), agents: Number(options.agents), replies: Number(options.posts) / 10 };
  await fill(url, size, { searchable: true, log: (line) => console.log(line) });
}

async function measureAll(): Promise<void> {
  const served = await serve(url, client);
  const holder = new pg.Client({ connectionString: url, options: '-c idle_in_transaction_session_timeout=0' });
  await holder.connect();
  try {
    await settle(client);
    if (options.waiting !== '0' || options.held !== '0') await served.worker.stop();
    await putEvents(Number(options.waiting));
    if (options.held !== '0') await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM settings');
    await putEvents(Number(options.held));
    // The server does so by itself within minutes.
    if (options.held !== '0') await client.query('VACUUM ANALYZE scope_slots');
    const { rows } = await client.query<{ version: string }>('SELECT version()');
    console.log(
      `\n${rows[0]!.version}\n${'CPU ms a request'.padEnd(26)}${'database'.padStart(10)}${'API'.padStart(8)}${'status'.padStart(8)}`,
    );
    for (const read of READS) {
      if (names.length > 0 && !names.some((name) => read.name.startsWith(name))) continue;
      const { name, databaseMs, apiMs, status } = await served.cost(read);
      const figures = `${shown(databaseMs).padStart(10)}${shown(apiMs).padStart(8)}`;
      console.log(`${name.padEnd(26)}${figures}${String(status).padStart(8)}`);
    }
  } finally {
    await holder.end();
    await served.stop();
  }
}

/** Events of a crowded community, each in its own transaction, by several writers. */
async function putEvents(count: number): Promise<void> {
  const put = async () => {
    const writer = new pg.Client({
      connectionString: url,
      options: '-c statement_timeout=0 -c synchronous_commit=off',
    });
    await writer.connect();
    await writer.query(`DO $$ BEGIN
      FOR n IN 1 .. ${Math.ceil(count / CALLERS)} LOOP
        PERFORM ${RELEASE}.put_event('vote.cast', 'p_0000000000000000000000001', '${CROWDED}', false, clock_timestamp());
        COMMIT;
      END LOOP;
    END $$`);
    await writer.end();
  };
  if (count > 0) await Promise.all(Array.from({ length: CALLERS }, put));
}
