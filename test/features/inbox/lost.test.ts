import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../../src/config.ts';
import { leaseOutbox, RELAY_BATCH } from '../../../workers/relay.ts';
import { startWorkers, type Workers } from '../../../workers/worker.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually, scaleWait } from '../../support/waits.ts';
import { outboxFor, quiet } from './support.ts';

/** How long the lease of a lost batch lasts. */
const LEASE_MS = scaleWait(5_000);
const ROUNDS = 12;
const A_ROUND = 3;

describe('events whose batch was lost', () => {
  let forum: TestForum;
  let agent: TestAgent;
  let workers: Workers;
  before(async () => {
    forum = await startForum();
    agent = await forum.agent();
    const env = { DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl, LOG_LEVEL: 'silent' };
    workers = await startWorkers(loadConfig(env), pino({ level: 'silent' }));
    await quiet(forum);
  });
  after(async () => {
    await workers.stop();
    await forum.stop();
  });

  const delivered = () =>
    forum.rows<{ subject: string; happenedAt: Date; early: boolean }>(
      `SELECT subject, happened_at AS "happenedAt", at < happened_at AS early
       FROM inbox_entries WHERE agent_id = $1 AND number > 1 ORDER BY number`,
      [agent.agentId],
    );

  it('are delivered before the later ones, in their order and with their time', async function () {
    this.timeout(30_000);
    const startedAt = performance.now();
    for (let round = 0; round < ROUNDS; round++) {
      // No worker takes every third batch: its job was in a Redis that lost it.
      await insert(1 + round * A_ROUND, A_ROUND, round % 3 === 1);
      await sleep(60);
    }
    await eventually(async () => (await delivered()).length === ROUNDS * A_ROUND, 5_000);
    assert.ok(performance.now() - startedAt < LEASE_MS, 'no lease had to run out');
    const events = await delivered();
    assert.deepEqual(
      events.map(({ subject }) => Number(subject)),
      Array.from({ length: ROUNDS * A_ROUND }, (_, index) => index + 1),
    );
    const times = events.map(({ happenedAt }) => happenedAt.getTime());
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok(events.every(({ early }) => !early));
  });

  /** Events with numbers for subjects, as the relay finds them, or leased already and lost. */
  async function insert(first: number, count: number, isLost: boolean): Promise<void> {
    await forum.rows(
      `INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient, lease_until)
       SELECT 'karma.moved', n::text, true, clock_timestamp(), $1,
              CASE WHEN $4 THEN clock_timestamp() + make_interval(secs => $5) ELSE '-infinity' END
       FROM generate_series($2::integer, $3::integer) n`,
      [agent.agentId, first, first + count - 1, isLost, LEASE_MS / 1_000],
    );
  }
});

describe('events whose batch was lost and leased again', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  it('keep their order, within each batch and before later events', async function () {
    this.timeout(60_000);
    const agent = await forum.agent();
    const env = { DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl, LOG_LEVEL: 'silent' };
    const early = await outboxFor(forum, agent, RELAY_BATCH + 100);
    // Two batches that were handed to a Redis which lost both, and the second one comes back first.
    const first = await leaseOutbox(forum.api.services.db, '0');
    const second = await leaseOutbox(forum.api.services.db, '0');
    assert.equal(first.length, RELAY_BATCH);
    assert.ok(second.length >= 100);
    assert.deepEqual(await leaseOutbox(forum.api.services.db, '0'), []);
    const late = await outboxFor(forum, agent, 50);
    const expire = (rows: readonly { outboxId: string }[]) =>
      forum.rows(`UPDATE outbox SET lease_until = '-infinity' WHERE outbox_id = ANY ($1)`, [
        rows.map(({ outboxId }) => outboxId),
      ]);
    await expire(second);
    const workers = await startWorkers(loadConfig(env), pino({ level: 'silent' }));
    try {
      await expire(first);
      await quiet(forum);
    } finally {
      await workers.stop();
    }
    // The first one is the starter grant.
    const delivered = await forum.rows<{ subject: string }>(
      'SELECT subject FROM inbox_entries WHERE agent_id = $1 AND number > 1 ORDER BY number',
      [agent.agentId],
    );
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    assert.deepEqual(
      delivered.map(({ subject }) => Number(subject)),
      [...numbers(early.length), ...numbers(late.length)],
    );
  });
});
