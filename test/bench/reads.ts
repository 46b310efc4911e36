// `npm run bench:reads`: what each kind of read costs the database and the API, in milliseconds of CPU a request, on a
// forum in use. Options: `--posts 100000`, `--agents 100000`; names choose which reads. `--waiting 100000` stops the worker
// and lets so many events wait, `--held 60000` writes so many under an open snapshot. BENCH_DATABASE_URL names a database
// on a server of your own: filled once when it is empty, and kept. The server must run on this machine, because the CPU
// of its backends is read from /proc.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { migrateLatest } from '../../migrations/run.ts';
import { generateAgentKeys } from '../../src/client/keys.ts';
import { Signer } from '../../src/client/signer.ts';
import { createDatabase, redisForTest } from '../support/database.ts';
import { startTestServices } from '../support/services.ts';
import { createTemplate } from '../support/template.ts';
import { Child } from './child.ts';
import { CROWDED, fill, PROLIFIC } from './dataset.ts';
import { READS, type Read } from './readList.ts';

const TICK_MS = 10;
const WARM_UP_MS = 300;
const MEASURED_MS = 2_000;
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
  const keys = generateAgentKeys();
  const signer = new Signer(keys);
  await client.query('UPDATE agents SET signing_public_key = $1 WHERE agent_id = $2', [
    keys.signing.publicKey.toString('base64url'),
    PROLIFIC.agentId,
  ]);
  const redisUrl = (await redisForTest()).url;
  const env = {
    DATABASE_URL: url,
    REDIS_URL: redisUrl,
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const [api, worker] = await Promise.all([
    Child.start('../../src/main.ts', { env }),
    Child.start('../../workers/main.ts', { env }),
  ]);
  const holder = new pg.Client({ connectionString: url, options: '-c idle_in_transaction_session_timeout=0' });
  await holder.connect();
  try {
    await settle();
    if (options.waiting !== '0' || options.held !== '0') await worker.stop();
    await putEvents(Number(options.waiting));
    if (options.held !== '0') await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM settings');
    await putEvents(Number(options.held));
    const { rows } = await client.query<{ version: string }>('SELECT version()');
    console.log(
      `\n${rows[0]!.version}\n${'CPU ms a request'.padEnd(26)}${'database'.padStart(10)}${'API'.padStart(8)}${'status'.padStart(8)}`,
    );
    for (const read of READS) {
      if (names.length > 0 && !names.some((name) => read.name.startsWith(name))) continue;
      const send = () => answered(api.url!, read, signer);
      await during(WARM_UP_MS, send);
      const before = [await databaseTicks(), await api.cpuMicroseconds()] as const;
      const { count, status } = await during(MEASURED_MS, send);
      const after = [await databaseTicks(), await api.cpuMicroseconds()] as const;
      const figures = [((after[0] - before[0]) * TICK_MS) / count, (after[1] - before[1]) / 1_000 / count];
      const [pgMs, apiMs] = figures.map((ms) => ms.toFixed(2));
      console.log(`${read.name.padEnd(26)}${pgMs!.padStart(10)}${apiMs!.padStart(8)}${String(status).padStart(8)}`);
    }
  } finally {
    await holder.end();
    await api.stop();
    await worker.stop();
  }
}

/** Events of a crowded community, each in a transaction of its own, by several writers. */
async function putEvents(count: number): Promise<void> {
  const put = async () => {
    const writer = new pg.Client({
      connectionString: url,
      options: '-c statement_timeout=0 -c synchronous_commit=off',
    });
    await writer.connect();
    await writer.query(`DO $$ BEGIN
      FOR n IN 1 .. ${Math.ceil(count / CALLERS)} LOOP
        INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
        VALUES ('vote.cast', 'p_0000000000000000000000001', '${CROWDED}', false, clock_timestamp());
        COMMIT;
      END LOOP;
    END $$`);
    await writer.end();
  };
  if (count > 0) await Promise.all(Array.from({ length: CALLERS }, put));
}

/** Until the worker has delivered what waits and computed the copies that events had made stale. */
async function settle(): Promise<void> {
  await client.query(`INSERT INTO stale_aggregates (scope) VALUES (''), ($1) ON CONFLICT DO NOTHING`, [CROWDED]);
  const waiting = async () =>
    (await client.query('SELECT FROM outbox UNION ALL SELECT FROM stale_aggregates LIMIT 1')).rows.length > 0;
  while (await waiting()) await sleep(200);
  // Within a minute the server does it by itself; until then who sums looks at what was delivered.
  await client.query('VACUUM outbox');
}

/** Sends for a while by several callers; how many were answered, and the last status. */
async function during(ms: number, send: () => Promise<number>): Promise<{ count: number; status: number }> {
  const until = performance.now() + ms;
  let count = 0;
  let status = 0;
  const caller = async () => {
    do {
      status = await send();
      count++;
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return { count, status };
}

async function answered(base: string, { path, signed }: Read, signer: Signer): Promise<number> {
  const { pathname, search } = new URL(path, base);
  const headers = signed
    ? {
        ...signer.signRequest({
          method: 'GET',
          path: pathname,
          query: search.slice(1),
          body: Buffer.alloc(0),
          nowMs: Date.now(),
        }),
        'x-svc-agent-id': PROLIFIC.agentId,
      }
    : {};
  const response = await fetch(base + path, { headers });
  await response.arrayBuffer();
  return response.status;
}

/** User and system time of all backends that serve the API, in ticks of the kernel's clock. */
async function databaseTicks(): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'forum api%'",
  );
  const ticks = await Promise.all(
    rows.map(async ({ pid }) => {
      const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
      return Number(fields[11]) + Number(fields[12]);
    }),
  );
  return ticks.reduce((sum, each) => sum + each, 0);
}
