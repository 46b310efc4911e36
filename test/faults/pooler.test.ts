import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrateLatest } from '../../migrations/run.ts';
import { missingSettings, requireKeptNames } from '../../src/ops/sessions.ts';
import { Postgres, sql, sqlState } from '../../src/platform/postgres/postgres.ts';
import type { StatementMode } from '../../src/platform/postgres/statement.ts';
import { restoreDatabase } from '../../src/tools/backup/dump.ts';
import type { Manifest } from '../../src/tools/backup/manifest.ts';
import { compileTree } from '../../src/tools/dev/compiled.ts';
import { TestAgent } from '../support/agent.ts';
import { wantCalm } from '../support/calm.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { makeTestDirectory } from '../support/directories.ts';
import { eventually, scaleWait } from '../support/waits.ts';
import { itDoesTheMainJob, type Served, serve } from './support/mainJob.ts';
import { findPgBouncer, type Pooler, startPooler } from './support/pgbouncer.ts';

wantCalm();

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const found = findPgBouncer();
if (!found) console.log('      (no pgbouncer on the path: nothing was sent through a pooler)');

const MODES: readonly StatementMode[] = ['unnamed', ...(found?.keepsNames ? (['named'] as const) : [])];
/** Fewer than the connections of an API process and a worker, so that clients share sessions. */
const SESSIONS = 8;

/** As many as are refused while requests continue. */
const BACKUPS = 2;

const SLEEP = sql('test.pooler.sleep', 'SELECT pg_sleep($1)');
/** Longer than the pooler's read buffer. */
const LONG = 'Some words '.repeat(1_500);
const limits = { maxConnections: 4, readConnections: 2, applicationName: 'test' };

/** How a statement ended, by its SQLSTATE, and after how long. */
async function outcomeOf(work: Promise<unknown>): Promise<{ outcome: string; ms: number }> {
  const startedAt = performance.now();
  const outcome = await work.then(
    () => 'answered',
    (error: unknown) => sqlState(error) ?? 'lost',
  );
  return { outcome, ms: performance.now() - startedAt };
}

for (const mode of MODES) {
  (found ? describe : describe.skip)(
    `PgBouncer ${found?.version ?? ''}, statements ${mode}, sessions without a search_path`,
    function () {
      this.timeout(60_000);
      let database: TestDatabase;
      let pooler: Pooler;
      let served: Served;
      before(async () => {
        database = await createDatabase();
        pooler = await startPooler(found!, database.url, {
          default_pool_size: SESSIONS,
          // Later versions keep 200 by default.
          ...(found!.keepsNames ? { max_prepared_statements: mode === 'named' ? 500 : 0 } : {}),
        });
        const env = { DATABASE_URL: pooler.through(database.url), DATABASE_STATEMENTS: mode };
        served = await serve(database.url, { ...env, REDIS_URL: (await redisForTest()).url });
        // As pg_dump leaves them.
        await onSessions(SESSIONS, "SELECT pg_catalog.set_config('search_path', '', false)");
      });
      after(async () => {
        await served?.stop();
        await pooler?.stop();
        await database?.drop();
      });

      async function missingOnSessions(): Promise<string[]> {
        const options = { maxConnections: SESSIONS, applicationName: 'test', statements: mode };
        const db = new Postgres({ ...options, url: pooler.through(database.url) });
        return missingSettings(db, SESSIONS).finally(() => db.close());
      }

      /** Sends a statement to `count` of the pooler's sessions concurrently. Each session keeps its settings. */
      async function onSessions(count: number, text: string): Promise<void> {
        const clients = await Promise.all(
          Array.from({ length: count }, async () => {
            const client = new pg.Client({ connectionString: pooler.through(database.url) });
            await client.connect();
            await client.query('BEGIN');
            return client;
          }),
        );
        for (const client of clients) await client.query(text);
        for (const client of clients) await client.query('COMMIT');
        for (const client of clients) await client.end();
      }

      itDoesTheMainJob(() => served);

      if (mode === 'unnamed')
        it('keeps a program with named statements from starting, in one line that says what to set', async () => {
          const tree = await compileTree(ROOT);
          const env = {
            ...process.env,
            ...{ DATABASE_URL: pooler.through(database.url), REDIS_URL: (await redisForTest()).url },
            ...{ DATABASE_STATEMENTS: 'named', PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'silent' },
          };
          for (const program of ['src/main.js', 'workers/main.js']) {
            const { code, stderr } = await run(process.execPath, [join(tree, program)], {
              env,
              timeout: scaleWait(20_000),
            }).then(
              () => ({ code: 0, stderr: '' }),
              (error: { code: number; stderr: string }) => error,
            );
            assert.equal(code, 1, program);
            assert.match(stderr, /^The pooler at [^\n]* Set DATABASE_STATEMENTS=unnamed\.\n$/);
          }
        });

      it(`is distinguished from one that ${mode === 'named' ? 'keeps no names' : 'keeps names'}, also while others use it`, async () => {
        const db = new Postgres({ ...limits, url: pooler.through(database.url), statements: mode });
        let isOver = false;
        const asking = async () => {
          while (!isOver) await db.query(SLEEP, [0]);
        };
        const others = Promise.all(Array.from({ length: limits.maxConnections }, asking));
        try {
          for (let n = 0; n < 10; n++) {
            const outcome = await outcomeOf(requireKeptNames(pooler.through(database.url)));
            if (mode === 'named') assert.equal(outcome.outcome, 'answered');
            else assert.match(outcome.outcome, /^(26000|42P05)$/);
          }
          await requireKeptNames(database.url);
        } finally {
          isOver = true;
          await others;
          await db.close();
        }
      });

      it('is ready, with the time limits in force', async () => {
        const answer = await fetch(`${served.opsUrl}/ready`);
        assert.deepEqual(((await answer.json()) as { checks: object }).checks, {
          clock: 'ok',
          postgres: 'ok',
          redis: 'ok',
          schema: 'ok',
          settings: 'ok',
        });
      });

      it('cancels statements, waits for locks and idle transactions in time', async () => {
        const db = new Postgres({ ...limits, url: pooler.through(database.url), statements: mode });
        const holder = await database.pool.connect();
        try {
          await holder.query('BEGIN; LOCK TABLE settings');
          const outcomes = await Promise.all([
            outcomeOf(db.query(SLEEP, [30])),
            outcomeOf(db.query(sql('test.pooler.wait', 'SELECT count(*) FROM settings'))),
            outcomeOf(
              db.inTransaction(async (transaction) => {
                await transaction.query(SLEEP, [0]);
                await sleep(4_000);
              }),
            ),
            outcomeOf(db.query(SLEEP, [30], { timeoutMs: 300 })),
          ]);
          assert.deepEqual(
            outcomes.map(({ outcome }) => outcome),
            ['57014', '55P03', 'lost', '57014'],
          );
          for (const [index, limitMs] of [5_000, 3_000, 4_000, 300].entries()) {
            const { ms } = outcomes[index]!;
            assert.ok(ms > limitMs - 100 && ms < scaleWait(limitMs + 2_000), `${ms} ms`);
          }
          // Settings of one statement ended with it.
          assert.deepEqual(await missingSettings(db), []);
        } finally {
          await holder.query('ROLLBACK');
          holder.release();
          await db.close();
        }
      });

      it('gives every statement to one session whole, however many are waiting', async () => {
        const sides = ['a', 'b'].map((side) => ({
          echo: sql(`test.pooler.${side}`, `SELECT '${side}' || length($1::text) AS answer`),
          db: new Postgres({
            ...limits,
            readConnections: SESSIONS,
            url: pooler.through(database.url),
            statements: mode,
          }),
          side,
        }));
        const ask = async (n: number) => {
          const { db, echo, side } = sides[n % 2]!;
          const length = (n * 7_919) % 40_000;
          const [row] = await db.query<{ answer: string }>(echo, ['x'.repeat(length)]);
          assert.equal(row!.answer, `${side}${length}`);
        };
        await Promise.all(Array.from({ length: 600 }, (_, n) => ask(n)));
        for (const { db } of sides) await db.close();
      });

      it('refuses migrations, which need a session of their own', async () => {
        await assert.rejects(migrateLatest(pooler.through(database.url)), /names a pooler/);
      });

      it('refuses backups and restores in one line, and no request fails meanwhile', async () => {
        const tree = await compileTree(ROOT);
        const directory = await makeTestDirectory();
        const env = { ...process.env, DATABASE_URL: pooler.through(database.url) };
        const end = new AbortController();
        const statuses: number[] = [];
        const asking = (async () => {
          while (!end.signal.aborted) {
            statuses.push((await fetch(`${served.url}/v1/posts?limit=${1 + (statuses.length % 20)}`)).status);
            await sleep(50);
          }
        })();
        try {
          for (let n = 0; n < BACKUPS; n++) {
            const outcome = await run(
              process.execPath,
              [join(tree, 'src/tools/backup/backup.js'), join(directory, String(n))],
              {
                env,
                timeout: scaleWait(20_000),
              },
            ).then(
              () => ({ code: 0, stderr: '' }),
              (error: { code: number; stderr: string }) => error,
            );
            assert.equal(outcome.code, 1);
            assert.match(outcome.stderr, /^DATABASE_URL names a pooler, [^\n]*\n$/);
          }
          const manifest = { postgres: { major: '15' } } as Manifest;
          await assert.rejects(restoreDatabase(directory, manifest, pooler.through(database.url)), /names a pooler/);
        } finally {
          end.abort();
          await asking;
          await rm(directory, { recursive: true, force: true });
        }
        assert.ok(statuses.length >= BACKUPS);
        assert.deepEqual([...new Set(statuses)], [200]);
        assert.deepEqual(await missingOnSessions(), []);
      });

      it('leaves the sessions as they were: npm run verify', async () => {
        const tree = await compileTree(ROOT);
        const env = { ...process.env, DATABASE_URL: pooler.through(database.url), DATABASE_STATEMENTS: mode };
        const { url: REDIS_URL } = await redisForTest();
        const { stdout } = await run(process.execPath, [join(tree, 'src/ops/verify.js')], {
          env: { ...env, REDIS_URL },
        });
        assert.match(stdout, /^No problems were found in the karma ledger/);
        assert.deepEqual(await missingOnSessions(), []);
      });

      it('reports at /ready that a client changed settings of some sessions', async () => {
        const states = async () =>
          ((await (await fetch(`${served.opsUrl}/ready`)).json()) as { checks: { settings: string } }).checks.settings;
        assert.equal(await states(), 'ok');
        await onSessions(5, 'SET statement_timeout = 0; SET lock_timeout = 0');
        assert.match(await states(), /^missing: statement_timeout, lock_timeout$/);
        await onSessions(SESSIONS, 'RESET statement_timeout; RESET lock_timeout');
        await eventually(async () => (await states()) === 'ok');
      });

      it('sends no write later that was given up while no session was free', async () => {
        const ada = await new TestAgent(served.url).register(`agent-${randomBytes(6).toString('hex')}`);
        // From here on, only the write itself needs the database.
        assert.equal((await ada.post('/v1/posts', { title: 't', body: 'b' })).status, 201);
        const others = await Promise.all(
          Array.from({ length: SESSIONS }, async () => {
            const client = new pg.Client({ connectionString: pooler.through(database.url) });
            client.on('error', () => {});
            await client.connect();
            await client.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT 'a session'");
            return client;
          }),
        );
        const nonce = randomBytes(16).toString('base64url');
        const startedAt = performance.now();
        const answer = await ada.signed('POST', '/v1/posts', { body: { title: 't', body: LONG }, nonce });
        const ms = performance.now() - startedAt;
        for (const client of others) await client.query('COMMIT');
        for (const client of others) await client.end();
        assert.deepEqual([answer.status, answer.body], [503, { error: 'unavailable' }]);
        assert.ok(ms < scaleWait(9_000), `${ms} ms`);
        await eventually(async () => (await ada.post('/v1/posts', { title: 't', body: 'b' })).status === 201);
        const found = await ada.get(`/v1/writes/${nonce}`);
        assert.equal(found.status, 404);
      });
    },
  );
}
