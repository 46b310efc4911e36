import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { storeSessionSettings } from '../../migrations/sessions.ts';
import { inRelease } from '../../src/platform/postgres/release.ts';
import { identify } from '../../src/tools/dev/processes.ts';
import { scaleWait } from './waits.ts';
import { wantServices } from './wanted.ts';

wantServices();

const UNLIMITED = '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0';

const objectInUse = '55006';
const copyDeadlineMs = 15_000;

export interface TestDatabase {
  url: string;
  pool: pg.Pool;
  drop(): Promise<void>;
}

/**
 * Makes a database of the caller's own: a copy of the migrated template, in 0.04 s or, on a slow disk, ten times that.
 * `drop()` ends the pool and removes the database; it throws when somebody still holds a connection, so that a leaked
 * pool fails the test that leaked it.
 */
export async function createDatabase(): Promise<TestDatabase> {
  const name = newDatabaseName();
  await asAdmin((admin) => copyTemplate(admin, name));
  const url = databaseUrlNamed(name);
  // The limits of the service's sessions are not meant for who looks at what it did.
  const pool = new pg.Pool({ connectionString: url, max: 10, options: UNLIMITED });
  // A fault test stops the server under idle connections; without a listener that would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', writeRelease);
  // They belong to a role in a database: a copy comes without them.
  await storeSessionSettings(pool);
  return {
    url,
    pool,
    drop: async () => {
      if (!pool.ended) await pool.end();
      await asAdmin((admin) => dropDatabase(admin, name));
    },
  };
}

/** A name with the process that the database belongs to, so that a later run can drop what a killed one left. */
export function newDatabaseName(): string {
  return `test_${process.pid}_${randomBytes(8).toString('hex')}`;
}

/** Drops the databases of test processes that have ended, on the server of TEST_DATABASE_URL. */
export async function dropAbandonedDatabases(): Promise<void> {
  await asAdmin(async (admin) => {
    const { rows } = await admin.query<{ datname: string }>(`SELECT datname FROM pg_database WHERE datname ~ '^test_'`);
    for (const { datname } of rows) {
      const pid = Number(/^test_(\d+)_/.exec(datname)?.[1]);
      if (pid && !(await identify(pid))) await admin.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
    }
  });
}

/** What tests ask in SQL calls the functions of the service by the schema that its sources write. */
function writeRelease(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...call: unknown[]) => unknown;
  client.query = ((asked: unknown, ...more: unknown[]) =>
    query(typeof asked === 'string' ? inRelease(asked) : asked, ...more)) as typeof client.query;
}

/**
 * Hands out an empty logical Redis database of the caller's own. Pub/sub is shared by all logical databases of a
 * server; keys and queues carry the id of their deployment, and each database of a test draws its own.
 */
export async function redisForTest(): Promise<{ url: string }> {
  const base = required('TEST_REDIS_URL');
  const redis = redisAt(base);
  const [, databases] = (await redis.config('GET', 'databases')) as [string, string];
  const handedOut = await redis.incr('test:databases-handed-out');
  const index = 1 + ((handedOut - 1) % (Number(databases) - 1));
  await redis.multi().select(index).flushdb().select(0).exec();
  const url = new URL(base);
  url.pathname = `/${index}`;
  return { url: url.href };
}

/** One for all tests of a process, which it does not keep alive. */
function redisAt(url: string): Redis {
  if (handingOut?.url !== url || handingOut.redis.status === 'end') {
    const redis = new Redis(url, { retryStrategy: () => null });
    redis.on('error', () => undefined);
    redis.once('connect', () => redis.stream.unref());
    handingOut = { url, redis };
  }
  return handingOut.redis;
}

let handingOut: { readonly url: string; readonly redis: Redis } | undefined;

/** The URL of another database on the tests' PostgreSQL server. */
export function databaseUrlNamed(name: string): string {
  const url = new URL(required('TEST_DATABASE_URL'));
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs `work` on a connection to the tests' PostgreSQL server, outside every database that a test made. */
export async function asAdmin<T>(work: (admin: pg.ClientBase) => Promise<T>): Promise<T> {
  const admin = await adminPool(required('TEST_DATABASE_URL')).connect();
  try {
    return await work(admin);
  } finally {
    admin.release();
  }
}

/** One for all tests of a process, which it does not keep alive: to connect takes longer than most of what is asked. */
function adminPool(connectionString: string): pg.Pool {
  if (administering?.options.connectionString !== connectionString) {
    administering = new pg.Pool({ connectionString, max: 2, allowExitOnIdle: true });
    administering.on('error', () => undefined);
  }
  return administering;
}

let administering: pg.Pool | undefined;

/** PostgreSQL refuses to copy a template while anyone is connected to it, such as another worker's copy. */
async function copyTemplate(admin: pg.ClientBase, name: string): Promise<void> {
  const deadline = Date.now() + scaleWait(copyDeadlineMs);
  for (;;) {
    try {
      // By files, which takes half the processor time of copying page by page through the log.
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${required('TEST_DATABASE_TEMPLATE')} STRATEGY FILE_COPY`);
      return;
    } catch (error) {
      if (!hasCode(error, objectInUse) || Date.now() > deadline) throw error;
      await sleep(20 + Math.random() * 80);
    }
  }
}

async function dropDatabase(admin: pg.ClientBase, name: string): Promise<void> {
  try {
    // Waits up to 5 s for connections that are just being closed.
    await admin.query(`DROP DATABASE IF EXISTS ${name}`);
  } catch (error) {
    if (!hasCode(error, objectInUse)) throw error;
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    throw new Error('The test left a connection to its database open', { cause: error });
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function required(name: 'TEST_DATABASE_URL' | 'TEST_REDIS_URL' | 'TEST_DATABASE_TEMPLATE'): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: mocha sets it for files that import this one at their top`);
  return value;
}
