import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../../src/config.ts';
import { searchDatabases } from '../../../src/features/search/databases.ts';
import { deploymentId } from '../../../src/platform/postgres/settings.ts';
import { connectRedis } from '../../../src/platform/redis/redis.ts';
import { compileTree } from '../../../src/tools/dev/compiled.ts';
import { applyBatch, applyThrough, DeliveryPace } from '../../../workers/delivery.ts';
import { jobHandlers } from '../../../workers/jobs.ts';
import { JobQueues } from '../../../workers/queues.ts';
import { leaseOutbox, OWN_JOB_KINDS, RELAY_BATCH, runRelay } from '../../../workers/relay.ts';
import { startWorkers } from '../../../workers/worker.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';
import { apply, outboxFor, quiet } from './support.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

describe('outbox recovery', () => {
  let forum: TestForum;
  let agent: TestAgent;
  const env = () => ({
    DATABASE_URL: forum.database.url,
    REDIS_URL: forum.redisUrl,
    LOG_LEVEL: 'silent',
    OPS_PORT: '0',
  });
  const delivered = async () =>
    (await forum.rows('SELECT FROM inbox_entries WHERE agent_id = $1 ORDER BY number', [agent.agentId])).length;
  const withWorkers = async (work: () => Promise<void>) => {
    const workers = await startWorkers(loadConfig(env()), pino({ level: 'silent' }));
    try {
      await work();
    } finally {
      await workers.stop();
    }
  };

  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    agent = await forum.agent();
    const waiting = await forum.rows<{ outbox_id: string }>('SELECT outbox_id FROM outbox');
    await apply(
      forum,
      waiting.map((row) => row.outbox_id),
    );
    assert.equal(await delivered(), 1);
  });

  it('delivers once what a worker was doing when it was killed', async function () {
    this.timeout(40_000);
    const blocked = () =>
      forum.rows<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
         AND query LIKE '%apply_outbox%'`,
      );
    const worker = fork(join(await compileTree(ROOT), 'workers/main.js'), {
      execArgv: [],
      env: { ...process.env, ...env() },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const exit = new Promise((resolve) => worker.once('exit', resolve));
    const holder = await forum.database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM inbox_heads WHERE agent_id = $1 FOR UPDATE', [agent.agentId]);
      await outboxFor(forum, agent, 50);
      await eventually(async () => (await blocked()).length > 0, 30_000);
      worker.kill('SIGKILL');
      await exit;
      for (const { pid } of await blocked()) await forum.rows('SELECT pg_terminate_backend($1)', [pid]);
    } finally {
      worker.kill('SIGKILL');
      await holder.query('ROLLBACK');
      holder.release();
    }
    assert.equal(await delivered(), 1);
    await withWorkers(() => quiet(forum));
    assert.equal(await delivered(), 51);
  });

  it('sends again what Redis has lost', async function () {
    this.timeout(40_000);
    await outboxFor(forum, agent, 20);
    const connection = connectRedis(loadConfig(env()), 'queue');
    const queues = new JobQueues(connection, await deploymentId(forum.api.services.db));
    const outboxIds = (await leaseOutbox(forum.api.services.db, '0')).map((row) => row.outboxId);
    await queues.add('outbox.apply', { outboxIds });
    assert.equal(await queues.waitingDeliveries(), 1);
    await connection.flushdb();
    await queues.close();
    connection.disconnect();
    assert.equal(await delivered(), 1);
    await withWorkers(() => quiet(forum));
    assert.equal(await delivered(), 21);
  });

  it('continues if a Redis does not report how many deliveries wait', async () => {
    // After a full batch it asks for that; these rows have jobs of their own, which are no deliveries.
    await forum.rows(
      `INSERT INTO outbox (kind, subject, hidden, occurred_at)
       SELECT 'question.sweep', 'job_' || lpad(n::text, 25, '0'), true, now() FROM generate_series(1, $1::integer) n`,
      [RELAY_BATCH],
    );
    const connection = connectRedis(loadConfig(env()), 'queue');
    const queues = new JobQueues(connection, 'of-this-relay');
    await connection.set(queues.queues.delivery.toKey('wait'), 'no list');
    const failures: unknown[] = [];
    const stopping = new AbortController();
    const onFailure = (error: unknown) => {
      failures.push(error);
      stopping.abort();
    };
    await runRelay(forum.api.services.db, queues, { signal: stopping.signal, onFailure });
    assert.match(String(failures), /WRONGTYPE/);
    await connection.flushdb();
    await queues.close();
    connection.disconnect();
    await forum.rows('DELETE FROM outbox');
  });

  it('asks for a job of its own once, however often its row is taken meanwhile', async () => {
    await forum.rows(
      `INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('question.sweep', $1, true, now())`,
      [`job_${'0'.repeat(25)}`],
    );
    const connection = connectRedis(loadConfig(env()), 'queue');
    const queues = new JobQueues(connection, 'of-one-job');
    const isLeased = async () => (await forum.rows('SELECT FROM outbox WHERE lease_until > now()')).length === 1;
    const failures: unknown[] = [];
    const stopping = new AbortController();
    const relay = runRelay(forum.api.services.db, queues, {
      signal: stopping.signal,
      onFailure: (error) => failures.push(error),
    });
    for (let taken = 0; taken < 3; taken++) {
      await eventually(isLeased);
      await forum.rows(`UPDATE outbox SET lease_until = '-infinity'`);
    }
    await eventually(isLeased);
    stopping.abort();
    await relay;
    assert.deepEqual([await queues.queues.jobs.getWaitingCount(), failures], [1, []]);
    await connection.flushdb();
    await queues.close();
    connection.disconnect();
    await forum.rows('DELETE FROM outbox');
  });

  it('applies all of a batch but the row that cannot be', async () => {
    const rows = await outboxFor(forum, agent, 30);
    await forum.rows(`UPDATE outbox SET recipient = 'nobody' WHERE outbox_id = $1`, [rows[17]]);
    await assert.rejects(applyBatch(forum.api.services.db, rows), /foreign key/);
    assert.equal(await delivered(), 30);
    const left = await forum.rows<{ outbox_id: string }>('SELECT outbox_id FROM outbox');
    assert.deepEqual(left, [{ outbox_id: rows[17] }]);
    await forum.rows('DELETE FROM outbox');
  });

  it('holds up nothing by a row that cannot be applied, and leaves the rows of other jobs alone', async () => {
    const [stuck] = await outboxFor(forum, agent, 1);
    await forum.rows(`UPDATE outbox SET recipient = 'nobody' WHERE outbox_id = $1`, [stuck]);
    const { rows: asked } = await forum.database.pool.query<{ outbox_id: string }>(
      `INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('question.sweep', '', true, now())
       RETURNING outbox_id`,
    );
    const others = { from: '0', otherKinds: OWN_JOB_KINDS, stuck: new Set<string>(), pace: new DeliveryPace() };
    const through = (rows: string[]) => applyThrough(forum.api.services.db, rows, others);
    // Before anybody has tried the row alone, it fails a batch once, which then goes without what is before it.
    assert.equal(await through(await outboxFor(forum, agent, 3)), 3);
    await assert.rejects(through([stuck!]), /foreign key/);
    assert.deepEqual([...others.stuck], [stuck]);
    const lost = await outboxFor(forum, agent, 2);
    assert.equal(await through(await outboxFor(forum, agent, 3)), 5);
    const left = await forum.rows<{ outbox_id: string }>('SELECT outbox_id FROM outbox ORDER BY outbox_id');
    assert.deepEqual(
      left.map((row) => row.outbox_id),
      [stuck, asked[0]!.outbox_id],
    );
    assert.equal(await through(lost), 0);
    const { db, config } = forum.api.services;
    const job = jobHandlers({ db, reads: db, searched: searchDatabases(db, undefined) }, config)['outbox.apply'];
    await assert.rejects(job({ outboxIds: [stuck!] }), /foreign key/);
    assert.equal(await job({ outboxIds: await outboxFor(forum, agent, 1) }), 1);
    assert.equal((await forum.rows('SELECT FROM outbox')).length, 2, 'nor does the job of a worker take them');
    await forum.rows('UPDATE outbox SET recipient = $2 WHERE outbox_id = $1', [stuck, agent.agentId]);
    assert.equal(await through([stuck!]), 1);
    assert.deepEqual([...others.stuck], []);
    await forum.rows('DELETE FROM outbox');
  });
});
