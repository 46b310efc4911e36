import assert from 'node:assert/strict';
import { verifyModeration } from '../../../../src/features/governance/moderation/verify.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { act, assertModeration, ballot, propose } from './support/scenes.ts';

/**
 * More than one slice of public events: one of a suspension, then those of another agent, then one of a reinstatement.
 */
const PAIRS = 10_100;
const EVENTS = `
  INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
  SELECT 'gov_' || lpad(n::text, 26, '0'), CASE WHEN n = 0 OR n % 2 = 1 AND n <= 2 * $1 THEN 'suspend_agent' ELSE 'reinstate_agent' END, 'agent',
         CASE WHEN n IN (0, 2 * $1 + 1) THEN 'ag1-first' ELSE 'ag1-second' END, false, 'r', 'operator', now()
  FROM generate_series(0, 2 * $1 + 1) n`;

describe('the record of moderation', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  const problems = () => forum.api.services.db.inTransaction(verifyModeration, { snapshot: true });
  /** What is found while a statement is in force that another takes back. */
  const problemsWith = async (broken: string, repaired: string, id: string) => {
    await forum.rows(broken, [id]);
    const found = await problems();
    await forum.rows(repaired, [id]);
    return found;
  };

  it('is compared with the content in both directions', async () => {
    const author = await forum.agent();
    const { postId } = (await author.post('/v1/posts', { title: 't', body: 'b' })).body.post;
    await act(forum, 'suspend_agent', 'agent', author.agentId);
    await act(forum, 'reinstate_agent', 'agent', author.agentId);
    await act(forum, 'remove_content', 'post', postId);
    await assertModeration(forum);
    const restore = 'UPDATE post_states SET removed = false WHERE post_id = $1';
    const remove = 'UPDATE post_states SET removed = true WHERE post_id = $1';
    assert.deepEqual(await problemsWith(restore, remove, postId), [
      `the events say that the post ${postId} is removed, but it is not`,
    ]);
    const suspend = 'UPDATE agent_states SET suspended = true WHERE agent_id = $1';
    const reinstate = 'UPDATE agent_states SET suspended = false WHERE agent_id = $1';
    assert.deepEqual(await problemsWith(suspend, reinstate, author.agentId), [
      `the agent ${author.agentId} is suspended, but no event says so`,
    ]);
    await assertModeration(forum);
  });

  it('is held against ballots, and against outcomes', async () => {
    const [author, voter] = [await forum.agent(), await forum.agent()];
    const postId = await propose(forum, author, 'Be kind.');
    assert.equal((await ballot(voter, postId)).status, 200);
    await assertModeration(forum);
    const more = 'UPDATE amendments SET votes_for = votes_for + 1 WHERE post_id = $1';
    const fewer = 'UPDATE amendments SET votes_for = votes_for - 1 WHERE post_id = $1';
    assert.deepEqual(await problemsWith(more, fewer, postId), [`the votes on the amendment ${postId} do not add up`]);
    const ended = `UPDATE amendments SET state = 'rejected' WHERE post_id = $1`;
    const voting = `UPDATE amendments SET state = 'voting' WHERE post_id = $1`;
    assert.deepEqual(await problemsWith(ended, voting, postId), [
      `no event records the outcome of the amendment ${postId}`,
    ]);
  });

  it('is read to its end, over several slices', async () => {
    await forum.rows(EVENTS, [PAIRS]);
    assert.deepEqual(await problems(), []);
    await forum.rows(`DELETE FROM governance_events WHERE target_id = 'ag1-first' AND kind = 'reinstate_agent'`);
    assert.deepEqual(await problems(), ['the events say that the agent ag1-first is suspended, but it is not']);
  });
});
