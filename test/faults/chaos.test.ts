import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import pg from 'pg';
import { pino } from 'pino';
import { type Api, startApi } from '../../src/api.ts';
import { loadConfig } from '../../src/config.ts';
import { type OpsListener, startOps } from '../../src/ops/listener.ts';
import { Metrics } from '../../src/ops/metrics.ts';
import { compileTree } from '../../src/tools/dev/compiled.ts';
import { TestAgent } from '../support/agent.ts';
import { checkOutput } from '../support/checkOutput.ts';
import { eventually, scaleWait } from '../support/waits.ts';
import { LosableServers } from './support/losableServers.ts';

/** CHAOS_SECONDS=60 is the full run. */
const SECONDS = Number(process.env.CHAOS_SECONDS ?? 6);
const AGENTS = 6;
const WRITERS = 8;
const WORKERS = 2;
const SETTLE_MS = 60_000;
const OPS_BOUND_MS = 10_000;

const LIMITS = ['POSTS', 'REPLIES', 'VOTES', 'BOUNTY_WRITES'].map((name) => [`LIMIT_${name}`, '1000000']);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The notifications that should exist, computed from the other tables, and those that exist. */
const EXPECTED = `
  SELECT 'reply' AS type, r.reply_id AS subject, coalesce(parent.author_id, p.author_id) AS agent_id
  FROM replies r JOIN posts p USING (post_id) LEFT JOIN replies parent ON parent.reply_id = r.parent_reply_id
  WHERE coalesce(parent.author_id, p.author_id) <> r.author_id
  UNION ALL
  SELECT 'solving', r.reply_id, r.author_id FROM questions q JOIN replies r ON r.reply_id = q.solving_reply_id
  UNION ALL
  SELECT DISTINCT 'karma', k.seq::text, account FROM karma_rows k, unnest(ARRAY[k.from_account, k.to_account]) AS account
  WHERE k.type NOT LIKE 'vote%' AND account NOT IN ('mint', 'pool')`;
/** Notifications of threads depend on when events were delivered. No agent gets two for one text. */
const STANDING = `SELECT type, subject, agent_id FROM inbox_entries WHERE type <> 'thread'
  UNION ALL SELECT 'twice', subject, agent_id FROM inbox_entries WHERE type IN ('reply', 'mention', 'thread')
  GROUP BY subject, agent_id HAVING count(*) > 1`;

type Victim = 'worker' | 'redis' | 'postgres' | 'flush';

/** The whole service on its own servers, which may be killed at any moment. */
class Stage {
  readonly #servers: LosableServers;
  readonly #workers: ChildProcess[] = [];
  /** Each settles when the worker of that index runs again. */
  readonly #restarted: Promise<void>[] = [];
  readonly kills: Record<Victim, number> = { worker: 0, redis: 0, postgres: 0, flush: 0 };
  api!: Api;
  ops!: OpsListener;
  pool!: pg.Pool;

  constructor(servers: LosableServers) {
    this.#servers = servers;
  }

  async start(): Promise<void> {
    this.pool = new pg.Pool({ connectionString: this.#servers.databaseUrl, max: 4, connectionTimeoutMillis: 2_000 });
    this.pool.on('error', () => {});
    const config = loadConfig({ ...this.#env(), LOG_LEVEL: 'silent', PORT: '0', OPS_PORT: '0' });
    const log = pino({ level: 'silent' });
    this.api = await startApi(config, log, { checkOutput });
    this.ops = await startOps('api', config, log, new Metrics('api', config.processName));
    await Promise.all(Array.from({ length: WORKERS }, (_, index) => this.#startWorker(index)));
  }

  async kill(victim: Victim): Promise<void> {
    this.kills[victim] += 1;
    if (victim === 'worker') {
      const index = Math.floor(Math.random() * WORKERS);
      await this.#restarted[index];
      await ended(this.#workers[index]!, 'SIGKILL');
      this.#restarted[index] = this.#startWorker(index);
    } else if (victim === 'flush') {
      const redis = new Redis(this.#servers.redisUrl, { maxRetriesPerRequest: 1 });
      await redis.flushall();
      redis.disconnect();
    } else {
      // Redis stores nothing on disk, so its death loses every job. PostgreSQL recovers from its WAL.
      process.kill((await this.#servers.pids())[victim], victim === 'redis' ? 'SIGKILL' : 'SIGQUIT');
      await sleep(Math.random() * 500);
      await this.#servers.startMissing();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#restarted);
    await Promise.all(this.#workers.map((worker) => ended(worker, 'SIGKILL')));
    await this.ops.stop();
    await this.api.stop();
    await this.pool.end();
    await this.#servers.stop();
  }

  async #startWorker(index: number): Promise<void> {
    const worker = fork(join(await compileTree(ROOT), 'workers/main.js'), {
      execArgv: [],
      env: { ...process.env, ...this.#env(), LOG_LEVEL: 'fatal', OPS_PORT: '0' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#workers[index] = worker;
    const ready = new Promise<boolean>((resolve) => {
      worker.once('message', () => resolve(true));
      worker.once('exit', () => resolve(false));
    });
    // A worker that starts while a server is away ends, and is started again as by a supervisor.
    if (!(await ready)) await this.#startWorker(index);
  }

  #env(): Record<string, string> {
    return {
      ...this.#servers.env,
      LIMIT_REGISTRATIONS_PER_ADDRESS: '0',
      ...Object.fromEntries(LIMITS),
    };
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

/** Agents whose writes create events, and a record of the accepted writes. Refusals and lost responses are expected. */
class Crowd {
  readonly agents: readonly TestAgent[];
  readonly posts: { readonly postId: string; readonly asker?: TestAgent }[] = [];
  readonly replies: { readonly replyId: string; readonly postId: string; readonly by: TestAgent }[] = [];
  writes = 0;

  constructor(agents: readonly TestAgent[]) {
    this.agents = agents;
  }

  async act(): Promise<void> {
    const by = oneOf(this.agents);
    const dice = Math.random();
    if (this.posts.length < 5 || dice < 0.1) await this.#post(by);
    else if (dice < 0.75) await this.#reply(by);
    else if (dice < 0.85) await by.post('/v1/votes', { targetId: oneOf(this.posts).postId, value: 'up' });
    else await this.#solve();
  }

  async #post(by: TestAgent): Promise<void> {
    const asks = Math.random() < 0.5;
    const content = { title: 'Title', body: 'Body', ...(asks ? { bountyStake: 1 } : {}) };
    const { status, body } = await by.post(asks ? '/v1/questions' : '/v1/posts', content);
    if (status !== 201) return;
    this.writes += 1;
    this.posts.push({ postId: body.post.postId, ...(asks ? { asker: by } : {}) });
  }

  async #reply(by: TestAgent): Promise<void> {
    const parent = Math.random() < 0.4 ? oneOf(this.replies) : undefined;
    const { postId } = parent ?? oneOf(this.posts);
    const content = { body: 'Reply', ...(parent ? { parentReplyId: parent.replyId } : {}) };
    const { status, body } = await by.post(`/v1/posts/${postId}/replies`, content);
    if (status !== 201) return;
    this.writes += 1;
    this.replies.push({ replyId: body.reply.replyId, postId, by });
  }

  async #solve(): Promise<void> {
    const question = oneOf(this.posts.filter(({ asker }) => asker));
    const answers = this.replies.filter(({ postId, by }) => postId === question?.postId && by !== question.asker);
    if (answers.length === 0) return;
    const { status } = await question.asker!.post(`/v1/questions/${question.postId}/solving`, {
      replyId: oneOf(answers).replyId,
    });
    if (status === 200) this.writes += 1;
  }
}

/** Reads all inboxes repeatedly. Once a number was seen, all lower numbers are visible and stay unchanged. */
async function watchOrder(pool: pg.Pool, signal: AbortSignal): Promise<number> {
  const seen = new Map<string, number>();
  let looks = 0;
  while (!signal.aborted) {
    const found = await pool
      .query<{ agent_id: string; count: string; last: string }>(
        'SELECT agent_id, count(*), max(number) AS last FROM inbox_entries GROUP BY agent_id',
      )
      .catch(() => undefined);
    for (const { agent_id, count, last } of found?.rows ?? []) {
      assert.equal(count, last, `a number below ${last} was not there yet`);
      assert.ok(Number(last) >= (seen.get(agent_id) ?? 0), 'an event that was seen has gone');
      seen.set(agent_id, Number(last));
    }
    if (found) looks += 1;
    await sleep(10);
  }
  return looks;
}

/** Reads the operator's pages, which must respond above all during an outage. Returns the slowest response. */
async function watchOps(url: string, signal: AbortSignal): Promise<number> {
  let slowestMs = 0;
  while (!signal.aborted) {
    for (const path of ['/metrics', '/ready']) {
      const startedAt = performance.now();
      const { status } = await fetch(url + path);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      assert.ok(status === 200 || (path === '/ready' && status === 503), `${path} answered ${status}`);
    }
    await sleep(100);
  }
  return slowestMs;
}

describe(`delivery through ${SECONDS} s of chaos`, () => {
  let stage: Stage;
  let crowd: Crowd;
  let looks = 0;
  const rows = async <R extends object>(text: string) => (await stage.pool.query<R>(text)).rows;

  before(async function () {
    this.timeout(60_000);
    stage = new Stage(await LosableServers.start());
    await stage.start();
    const now = () => stage.api.clock.now();
    const agents = Array.from({ length: AGENTS }, (_, index) =>
      new TestAgent(stage.api.url, now).register(`chaos-${index}`),
    );
    crowd = new Crowd(await Promise.all(agents));
  });
  after(async function () {
    this.timeout(60_000);
    await stage.stop();
  });

  it('writes and reads while workers, Redis and Postgres are killed', async function () {
    this.timeout(SECONDS * 1_000 + 60_000);
    const over = new AbortController();
    const watching = watchOrder(stage.pool, over.signal);
    const overseeing = watchOps(stage.ops.url, over.signal);
    const writing = Promise.all(
      Array.from({ length: WRITERS }, async () => {
        while (!over.signal.aborted) {
          // After a lost response, only the tables count.
          await crowd.act().catch(() => sleep(20));
          await sleep(20 + Math.random() * 40);
        }
      }),
    );
    const end = performance.now() + SECONDS * 1_000;
    for (const victim of ['worker', 'redis', 'flush', 'postgres'] as const) {
      await sleep(400);
      await stage.kill(victim);
    }
    while (performance.now() < end) {
      await sleep(200 + Math.random() * 1_500);
      await stage.kill(oneOf(['worker', 'worker', 'redis', 'flush', 'postgres']));
    }
    over.abort();
    await writing;
    looks = await watching;
    const slowestMs = await overseeing;
    console.log(
      `      ${crowd.writes} writes were accepted, ${looks} looks taken; killed: ${JSON.stringify(stage.kills)}`,
    );
    assert.ok(slowestMs < scaleWait(OPS_BOUND_MS), `the ops listener took ${slowestMs} ms`);
    assert.ok(crowd.writes > SECONDS * 2, `only ${crowd.writes} writes`);
    assert.ok(looks > SECONDS * 2, `only ${looks} looks`);
  });

  it('keeps every write that was acknowledged', async () => {
    const stored = new Set(
      (await rows<{ reply_id: string }>('SELECT reply_id FROM replies')).map((row) => row.reply_id),
    );
    assert.deepEqual(
      crowd.replies.filter(({ replyId }) => !stored.has(replyId)),
      [],
    );
  });

  it('delivers every event to its recipient once, in a dense order', async function () {
    this.timeout(SETTLE_MS + 5_000);
    const startedAt = performance.now();
    await eventually(async () => (await rows('SELECT FROM outbox LIMIT 1')).length === 0, SETTLE_MS);
    console.log(`      all delivered ${((performance.now() - startedAt) / 1_000).toFixed(1)} s after the last kill`);
    assert.deepEqual(await rows(`(${EXPECTED}) EXCEPT ALL (${STANDING})`), [], 'missing');
    assert.deepEqual(await rows(`(${STANDING}) EXCEPT ALL (${EXPECTED})`), [], 'doubled, or never happened');
    const heads = await rows<{ last_number: string; count: string; last: string }>(
      `SELECT h.last_number, count(*), max(e.number) AS last
       FROM inbox_heads h JOIN inbox_entries e USING (agent_id) GROUP BY h.agent_id`,
    );
    assert.equal(heads.length, AGENTS);
    for (const { last_number, count, last } of heads) assert.deepEqual([count, last], [last_number, last_number]);
  });

  it('counts every reply once in the public totals', async () => {
    const [totals] = await rows<{ counted: string; stored: string }>(
      `SELECT sum(replies_written) AS counted, (SELECT count(*) FROM replies) AS stored FROM scope_slots WHERE scope = ''`,
    );
    assert.equal(totals!.counted, totals!.stored);
  });

  it('leaves the periodic jobs running', async function () {
    this.timeout(SETTLE_MS + 5_000);
    await rows(`INSERT INTO stale_aggregates (scope) VALUES ('') ON CONFLICT DO NOTHING`);
    await eventually(async () => (await rows('SELECT FROM stale_aggregates LIMIT 1')).length === 0, SETTLE_MS);
  });
});
