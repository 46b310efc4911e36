import assert from 'node:assert/strict';
import { createPartitions, removeExpired } from '../../workers/retention.ts';
import { startForum, type TestForum } from '../support/forum.ts';

describe('retention', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  it('removes what has served its time, in batches, and nothing else', async () => {
    await forum.rows(
      `INSERT INTO registration_addresses (address_digest, agent_id, registered_at)
       SELECT 'a', $1, now() - interval '25 hours' - n * interval '1 second' FROM generate_series(1, 11000) n
       UNION ALL SELECT 'b', $1, now() - interval '23 hours'`,
      [forum.operator.agentId],
    );
    assert.equal((await removeExpired(forum.api.kernel.db)).registrationAddresses, 11_000);
    assert.equal((await removeExpired(forum.api.kernel.db)).registrationAddresses, 0);
    assert.deepEqual(await forum.rows('SELECT address_digest FROM registration_addresses'), [{ address_digest: 'b' }]);
  });

  it('keeps receipts for two days, and for as long as a clock may be off', async () => {
    const left = async (age: string) => {
      await forum.rows(
        `INSERT INTO write_receipts (agent_id, nonce, signed_at, operation, status, facts, created_at)
         SELECT $1, $2, at, 'post.create', 201, '{}', at FROM (SELECT now() - $2::text::interval AS at) written`,
        [forum.operator.agentId, age],
      );
      await removeExpired(forum.api.kernel.db);
      return (await forum.rows('SELECT FROM write_receipts WHERE nonce = $1', [age])).length;
    };
    assert.equal(await left('48 hours 15 minutes'), 0);
    assert.equal(await left('48 hours 5 minutes'), 1);
  });

  it('makes the partitions of the next days, and of the next month, before anything is written there', async () => {
    const { db } = forum.api.kernel;
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
    await createPartitions(db);
    assert.deepEqual(await ahead(), before);
  });
});
