import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { startApi } from '../../../src/api.ts';
import { loadConfig } from '../../../src/config.ts';
import type { Db } from '../../../src/platform/postgres/postgres.ts';
import { startWorkers, type Workers } from '../../../workers/worker.ts';
import { TestAgent } from '../../support/agent.ts';
import { checkOutput } from '../../support/checkOutput.ts';
import { findProgram } from '../../support/programs.ts';
import { eventually } from '../../support/waits.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAMS = {
  backup: 'src/tools/backup/backup.ts',
  restore: 'src/tools/backup/restore.ts',
  rehearse: 'src/tools/backup/rehearse.ts',
};

/** Runs a program as an operator would. Returns its output, or its standard error if it ended with code 1. */
export async function run(
  program: keyof typeof PROGRAMS,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; text: string }> {
  const file = await findProgram(PROGRAMS[program]);
  return await new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], optionsFor(env), (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), text: error ? stderr : stdout }),
    );
  });
}

/** Starts a backup, and sends it a signal as soon as it writes. */
export async function interruptBackup(directory: string, from: string, signal: NodeJS.Signals): Promise<void> {
  const startedAt = Date.now();
  const args = [await findProgram(PROGRAMS.backup), directory, '--from', from];
  const child = spawn(process.execPath, args, { ...optionsFor({}), stdio: 'ignore' });
  const ended = once(child, 'close');
  const copied = join(`${directory}.partial`, 'data', 'base');
  await eventually(() => (statSync(copied, { throwIfNoEntry: false })?.birthtimeMs ?? 0) > startedAt);
  child.kill(signal);
  await ended;
}

/** Starts a program, and kills it as soon as `isTime` holds. */
export async function killProgram(
  program: keyof typeof PROGRAMS,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  isTime: () => Promise<boolean>,
): Promise<void> {
  const child = spawn(process.execPath, [await findProgram(PROGRAMS[program]), ...args], {
    ...optionsFor(env),
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  await eventually(isTime);
  child.kill('SIGKILL');
  await ended;
}

/** Without the servers of the test run, which are in the environment. */
function optionsFor(env: NodeJS.ProcessEnv): { cwd: string; env: NodeJS.ProcessEnv } {
  const { DATABASE_URL, ...rest } = process.env;
  return { cwd: ROOT, env: { ...rest, ...env } };
}

/** An API and optionally a worker, on the test's own servers. */
export interface Served {
  readonly url: string;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly db: Db;
  /** The agent of a seed, which was registered here or at the forum of which this is a copy. */
  agent(seed: Uint8Array): TestAgent;
  work(): Promise<void>;
  rest(): Promise<void>;
  stop(): Promise<void>;
}

export async function serve(databaseUrl: string, redisUrl: string, env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const limits = { LIMIT_POSTS: '1000', LIMIT_REPLIES: '1000', LIMIT_VOTES: '1000', LIMIT_BOUNTY_WRITES: '1000' };
  const addresses = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    PORT: '0',
    LIMIT_REGISTRATIONS_PER_ADDRESS: '0',
    PROOF_DELAY_SECONDS: '0',
    KARMA_VOTER_AGE_SECONDS: '0',
  };
  const config = loadConfig({ ...addresses, ...limits, ...env, LOG_LEVEL: 'silent' });
  const log = pino({ level: 'silent' });
  const api = await startApi(config, log, { checkOutput });
  const pool = new pg.Pool({ connectionString: databaseUrl, options: '-c statement_timeout=0' });
  // The pool ends before its sessions do, and their server may stop first.
  pool.on('error', () => {});
  let workers: Workers | undefined;
  const rest = async () => {
    await workers?.stop();
    workers = undefined;
  };
  return {
    url: api.url,
    databaseUrl,
    pool,
    db: api.services.db,
    agent: (seed) => new TestAgent(api.url, () => api.clock.now(), seed),
    work: async () => {
      workers = await startWorkers(config, log);
    },
    rest,
    stop: async () => {
      await rest();
      await api.stop();
      await pool.end();
    },
  };
}

/**
 * The number of rows of each table and a digest of them all. The id of the deployment and what processes and migrations
 * record about themselves are left out, because copies differ in them.
 */
export async function fingerprint(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
       AND relname NOT IN ('releases', 'knex_migrations_lock') ORDER BY 1`,
  );
  const prints: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await pool.query<{ print: string }>(
      `SELECT count(*) || ' ' || coalesce(md5(string_agg(line, chr(10) ORDER BY line)), '') AS print
         FROM (SELECT t::text AS line FROM ${name} t) lines WHERE line NOT LIKE '(deployment_id,%'`,
    );
    prints[name] = rows[0]!.print;
  }
  return prints;
}
