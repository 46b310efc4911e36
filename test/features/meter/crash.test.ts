import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { sweepLostRuns } from '../../../src/features/meter/probe.ts';
import { deploymentId } from '../../../src/platform/postgres/settings.ts';
import { connectRedis } from '../../../src/platform/redis/redis.ts';
import { JobQueues } from '../../../workers/queues.ts';
import { eventually, scaleWait } from '../../support/waits.ts';
import { expireClaims } from '../questions/support/crash.ts';
import { grantedAgent, type MeterForum, meterEnv, probe, signatureHolds, startMeter, today } from './support/meter.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

describe('a probe whose worker dies', () => {
  let meter: MeterForum;
  before(async () => {
    meter = await startMeter({ env: { METER_WAIT_SECONDS: '0' }, workers: false });
  });
  beforeEach(() => meter.vendor.reset());
  after(() => meter.stop());

  const startWorker = (): Promise<ServiceProcess> => {
    const { forum, vendor } = meter;
    const addresses = { DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl };
    return startProcess('workers/main.js', { ...addresses, ...meterEnv(vendor) });
  };
  /** As if the lease had run out: the database's clock is the one that counts. */
  const letLeaseRunOut = (runId: string) =>
    meter.forum.rows("UPDATE meter_runs SET lease_until = clock_timestamp() - interval '1 ms' WHERE run_id = $1", [
      runId,
    ]);
  const sweep = () => sweepLostRuns(meter.forum.api.services.db, meter.forum.api.services.config.meter);

  it('leaves an uncertain receipt and a spent grant, and nothing is sent again', async () => {
    const { forum, vendor } = meter;
    const agent = await grantedAgent(forum);
    vendor.fault = (kind, earlier) => (kind === 'inference' && earlier === 1 ? 'silence' : undefined);
    const worker = await startWorker();
    const { status, body } = await probe(forum, agent);
    assert.equal(status, 202);
    const path = body.links.self;
    await eventually(async () => vendor.count('inference') === 2);
    await worker.kill();
    assert.equal(await sweep(), 0, 'within its lease the worker may still be there');
    assert.equal((await agent.anonymous('GET', path)).status, 404);
    await letLeaseRunOut(body.runId);
    await expireClaims(forum.database.pool, forum.redisUrl);

    const second = await startWorker();
    try {
      await eventually(async () => (await agent.anonymous('GET', path)).status === 200);
      const connection = connectRedis(forum.api.services.config, 'queue');
      const queues = new JobQueues(connection, await deploymentId(forum.api.services.db));
      // The job of the killed worker, as the queue brings it again after a stall.
      await queues.add('meter.probe', { outboxId: '1', runId: body.runId });
      // Once a worker has taken it, a stop of the worker waits until it is done.
      await eventually(async () => (await queues.queues.jobs.getJobCounts('waiting')).waiting === 0);
      await queues.close();
      connection.disconnect();
    } finally {
      await second.stop();
    }
    const { body: row } = await agent.anonymous('GET', path);
    const { receipt } = row;
    assert.equal(receipt.status, 'uncertain');
    assert.ok(signatureHolds(row));
    assert.ok(receipt.countRequest.usage.input_tokens > 0, 'what came back before is in it');
    assert.equal(receipt.attempts.length, 2);
    assert.ok(receipt.attempts[0].usage.cache_creation_input_tokens > 0);
    const { startedAt, ...interrupted } = receipt.attempts[1];
    assert.ok(startedAt <= receipt.mintedAt);
    assert.deepEqual(interrupted, { ordinal: 2, usage: null, finishedAt: null, error: { reason: 'interrupted' } });
    assert.deepEqual([vendor.count('count'), vendor.count('inference')], [1, 2]);
    assert.equal((await probe(forum, agent)).body.error, 'grant_unavailable');
    assert.deepEqual(await forum.rows("SELECT 1 FROM outbox WHERE kind = 'meter.probe'"), []);
  });

  it('only one of many concurrent sweeps mints the receipt', async () => {
    const { forum } = meter;
    const agent = await grantedAgent(forum);
    const { body } = await probe(forum, agent);
    const [row] = await forum.rows<{ outbox_id: string }>("SELECT outbox_id FROM outbox WHERE kind = 'meter.probe'");
    const claims = await Promise.all(
      ['a', 'b', 'c', 'd'].map((claim) =>
        forum.rows('SELECT * FROM release.claim_meter_run($1, $2, $3, 0)', [row!.outbox_id, body.runId, claim]),
      ),
    );
    assert.equal(claims.flat().length, 1, 'one of many claims holds');
    const ended = await Promise.all(Array.from({ length: 5 }, sweep));
    assert.equal(
      ended.reduce((sum, count) => sum + count, 0),
      1,
    );
    const { body: receiptRow } = await agent.anonymous('GET', body.links.self);
    assert.deepEqual(receiptRow.receipt.attempts, []);
    assert.equal(receiptRow.receipt.status, 'uncertain');
  });

  it('is not taken for dead when it gets further in the same moment', async () => {
    const { forum } = meter;
    const agent = await grantedAgent(forum);
    const { runId } = (await probe(forum, agent)).body;
    const claim = `SELECT release.claim_meter_run(outbox_id, subject, 'slow', 0) FROM outbox WHERE subject = $1`;
    await forum.rows(claim, [runId]);
    const worker = await forum.database.pool.connect();
    try {
      await worker.query('BEGIN');
      const renew = `UPDATE meter_runs SET lease_until = clock_timestamp() + interval '1 min' WHERE run_id = $1`;
      await worker.query(renew, [runId]);
      const swept = sweep();
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => (await forum.rows(waiting)).length === 1);
      await worker.query('COMMIT');
      assert.equal(await swept, 0);
    } finally {
      worker.release();
    }
    await letLeaseRunOut(runId);
    assert.equal(await sweep(), 1);
  });

  it('a slow worker sends nothing after its run was ended', async () => {
    const { forum, vendor } = meter;
    const agent = await grantedAgent(forum);
    const worker = await startWorker();
    vendor.fault = async () => {
      const [run] = await forum.rows<{ run_id: string }>('SELECT run_id FROM meter_runs WHERE agent_id = $1', [
        agent.agentId,
      ]);
      await letLeaseRunOut(run!.run_id);
      assert.equal(await sweep(), 1);
      return undefined;
    };
    try {
      const { body } = await probe(forum, agent);
      const read = async () => (await agent.anonymous('GET', body.links.self)).body;
      await eventually(async () => (await read()).receipt !== undefined);
      const { receipt } = await read();
      assert.equal(receipt.status, 'uncertain');
      await sleep(300);
      assert.deepEqual((await read()).receipt, receipt, 'a receipt never changes');
      assert.deepEqual([vendor.count('count'), vendor.count('inference')], [1, 0]);
    } finally {
      await worker.stop();
    }
  });
});

describe('waiting for a receipt', function () {
  // On a slow machine the wait alone takes a minute.
  this.timeout(150_000);
  it('holds neither a transaction nor a connection', async () => {
    // Looked at for a fifth of it, on an idle machine.
    const waitSeconds = Math.min(60, Math.ceil(scaleWait(2_000) / 1_000));
    const meter = await startMeter({ env: { METER_WAIT_SECONDS: String(waitSeconds) }, workers: false });
    const { forum } = meter;
    try {
      const agents = await Promise.all(Array.from({ length: 25 }, () => grantedAgent(forum, 100)));
      const { db } = forum.api.services;
      let answered = 0;
      const answers = agents.map((agent) =>
        probe(forum, agent).then((answer) => {
          answered += 1;
          return answer;
        }),
      );
      await eventually(async () => (await forum.rows('SELECT 1 FROM meter_runs')).length === 25);
      await sleep(100);
      let idle = 0;
      for (let look = 0; look < 20; look++) {
        const open = await forum.rows(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
        );
        assert.deepEqual(open, []);
        const { total, idle: free, waiting } = db.usage;
        if (total === free && waiting === 0) idle += 1;
        await sleep(10);
      }
      assert.equal(answered, 0, 'all were still waiting');
      assert.ok(idle >= 5, `more waiting than connections, yet all of these were free at ${idle} of 20 looks`);
      for (const { status } of await Promise.all(answers)) assert.equal(status, 202);
    } finally {
      await meter.stop();
    }
  });

  it('ends with 202 when the process stops, however long it may take', async () => {
    const meter = await startMeter({ env: { METER_WAIT_SECONDS: '60' }, workers: false });
    const asked = probe(meter.forum, await grantedAgent(meter.forum));
    await eventually(async () => (await meter.forum.rows('SELECT 1 FROM meter_runs')).length === 1);
    const startedAt = performance.now();
    await meter.stop();
    assert.equal((await asked).status, 202);
    // After 15 s it would be cut off.
    assert.ok(performance.now() - startedAt < 10_000);
  });

  it('a failed wait leaves the write accepted with 202 and its receipt under its nonce', async () => {
    const meter = await startMeter({ env: { METER_WAIT_SECONDS: '20' }, workers: false });
    const { forum } = meter;
    try {
      const agent = await grantedAgent(forum);
      const nonce = Buffer.alloc(16, 3).toString('base64url');
      const startedAt = performance.now();
      const asked = agent.signed('POST', '/v1/meter/probe', { nonce, body: { day: today(forum) } });
      await eventually(async () => (await forum.rows('SELECT 1 FROM meter_runs')).length === 1);
      await forum.rows('ALTER TABLE meter_receipts RENAME TO out_of_reach');
      const { status, body } = await asked;
      assert.equal(status, 202);
      assert.ok(performance.now() - startedAt < 15_000);
      await forum.rows('ALTER TABLE out_of_reach RENAME TO meter_receipts');
      const write = await agent.get(`/v1/writes/${nonce}`);
      assert.deepEqual([write.body.status, write.body.receipt], [202, body]);
    } finally {
      await meter.stop();
    }
  });
});
