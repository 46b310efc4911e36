import assert from 'node:assert/strict';
import { searchDatabases } from '../../src/features/search/databases.ts';
import { jobHandlers } from '../../workers/jobs.ts';
import { removeExpired } from '../../workers/retention.ts';
import { apply, inbox, outboxFor } from '../features/inbox/support.ts';
import { startForum, type TestForum } from '../support/forum.ts';

describe('retention', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  const job = () => {
    const { db, config } = forum.api.services;
    return jobHandlers({ db, reads: db, searched: searchDatabases(db, undefined) }, config)['retention.sweep']({});
  };

  it('removes what has served its time, in batches, and nothing else', async () => {
    await forum.rows(
      `INSERT INTO registration_addresses (address_digest, agent_id, registered_at)
       SELECT 'a', $1, now() - interval '25 hours' - n * interval '1 second' FROM generate_series(1, 11000) n
       UNION ALL SELECT 'b', $1, now() - interval '23 hours'`,
      [forum.operator.agentId],
    );
    assert.equal((await removeExpired(forum.api.services.db)).registrationAddresses, 11_000);
    assert.equal((await removeExpired(forum.api.services.db)).registrationAddresses, 0);
    assert.deepEqual(await forum.rows('SELECT address_digest FROM registration_addresses'), [{ address_digest: 'b' }]);
  });

  it('keeps receipts for two days, and for as long as a clock may be off', async () => {
    const left = async (age: string) => {
      await forum.rows(
        `INSERT INTO write_receipts (agent_id, nonce, signed_at, operation, status, facts, created_at)
         SELECT $1, $2, at, 'post.create', 201, '{}', at FROM (SELECT now() - $2::text::interval AS at) written`,
        [forum.operator.agentId, age],
      );
      await removeExpired(forum.api.services.db);
      return (await forum.rows('SELECT FROM write_receipts WHERE nonce = $1', [age])).length;
    };
    assert.equal(await left('48 hours 15 minutes'), 0);
    assert.equal(await left('48 hours 5 minutes'), 1);
  });

  it('creates the partitions of the next days and of the next month in advance', async () => {
    const [{ month } = { month: '' }] = await forum.rows<{ month: string }>(
      `SELECT 'write_evidence_' || to_char(date_trunc('month', now(), 'UTC') + interval '40 days', 'YYYY_MM') AS month`,
    );
    const ahead = async () => {
      const days = await forum.rows<{ name: string }>(
        'SELECT name FROM release.receipt_days() WHERE starts_at > now()',
      );
      const months = await forum.rows<{ name: string }>('SELECT $1 AS name WHERE to_regclass($1) IS NOT NULL', [month]);
      return [...days, ...months].map(({ name }) => name).toSorted();
    };
    const before = await ahead();
    assert.equal(before.length, 4);
    for (const name of before) await forum.rows(`DROP TABLE ${name}`);
    await job();
    assert.deepEqual(await ahead(), before);
  });

  it('deletes old notifications that were read', async () => {
    const agent = await forum.agent();
    await apply(forum, await outboxFor(forum, agent, 2));
    const { items } = await inbox(agent);
    await agent.post('/v1/inbox/ack', { eventId: items[0]!.eventId });
    const days = forum.api.services.config.inboxRetentionDays + 1;
    await forum.rows('UPDATE inbox_entries SET at = at - make_interval(days => $1)', [days]);
    await forum.rows("UPDATE inbox_heads SET sweep_at = now() - interval '1 day'");
    await job();
    assert.deepEqual((await inbox(agent)).items, items.slice(1));
  });
});
