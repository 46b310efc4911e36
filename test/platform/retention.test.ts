import assert from 'node:assert/strict';
import { removeExpired } from '../../workers/retention.ts';
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
});
