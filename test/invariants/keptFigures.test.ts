import assert from 'node:assert/strict';
import { rankAgents } from '../../src/features/agents/ranks.ts';
import { walkRanks } from '../../src/features/posts/ranks.ts';
import { verify } from '../../src/ops/verify.ts';
import { applyBatch } from '../../workers/delivery.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertVerified } from '../support/verify.ts';

/** Each breaks one kept figure; `repair` undoes it. */
const BREAKS = [
  {
    what: 'a count of everybody on a day',
    change: "UPDATE day_counts SET posts = posts + 1 WHERE agent_id = '' AND scope = ''",
    repair: "UPDATE day_counts SET posts = posts - 1 WHERE agent_id = '' AND scope = ''",
    reports: /^everything public on \d{4}-\d\d-\d\d: 3 posts exist, but 4 are counted by day$/,
  },
  {
    what: 'a count of a community',
    change: "UPDATE day_counts SET replies = replies + 2 WHERE agent_id = '' AND scope = 'days'",
    repair: "UPDATE day_counts SET replies = replies - 2 WHERE agent_id = '' AND scope = 'days'",
    reports: /^community days: 2 replies exist, but 4 are counted by day$/,
  },
  {
    what: 'a count of an author',
    change: "UPDATE day_counts SET posts = posts - 1 WHERE agent_id = :author AND scope = ''",
    repair: "UPDATE day_counts SET posts = posts + 1 WHERE agent_id = :author AND scope = ''",
    reports: /^authors in everything public on \d{4}-\d\d-\d\d: 3 posts exist, but 2 are counted by day$/,
  },
  {
    what: 'the replies of a thread on a day',
    change: 'UPDATE day_threads SET replies = replies + 3',
    repair: 'UPDATE day_threads SET replies = replies - 3',
    reports: /^everything public on \d{4}-\d\d-\d\d: 2 replies in threads exist, but 5 are counted by day$/,
  },
  {
    what: 'the score of a ranked post',
    change: 'UPDATE post_ranks SET score = score + 1 WHERE post_id = :post',
    repair: 'UPDATE post_ranks SET score = score - 1 WHERE post_id = :post',
    reports: /^post p_\w+: its rank in the orders of posts is not what its state makes$/,
  },
  {
    what: 'a rank of a removed post',
    change: `INSERT INTO post_ranks (post_id, score, active_at, created_hour, author_id, post_type)
      SELECT p.post_id, 0, now(), 0, p.author_id, 'post' FROM posts p WHERE p.post_id = :removed`,
    repair: 'DELETE FROM post_ranks WHERE post_id = :removed',
    reports: /^post p_\w+: its rank in the orders of posts is not what its state makes$/,
  },
  {
    what: 'the balance of a ranked agent',
    change: 'UPDATE agent_ranks SET balance = balance + 1 WHERE agent_id = :author',
    repair: 'UPDATE agent_ranks SET balance = balance - 1 WHERE agent_id = :author',
    reports: /^agent ag1-\S+: its rank in the orders of the roster is not what its rows make$/,
  },
  {
    what: 'the activity of a ranked agent',
    change: "UPDATE agent_ranks SET active_at = active_at - interval '1 second' WHERE agent_id = :author",
    repair: "UPDATE agent_ranks SET active_at = active_at + interval '1 second' WHERE agent_id = :author",
    reports: /^agent ag1-\S+: its rank in the orders of the roster is not what its rows make$/,
  },
];

describe('npm run verify, of figures that workers keep', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let ada: TestAgent;
  let ben: TestAgent;
  let post: string;
  let removed: string;
  before(async () => {
    forum = await startForum();
    [ada, ben] = [await forum.agent(), await forum.agent()];
    const community = { slug: 'days', displayName: 'Days', description: '', visibility: 'public' };
    assert.equal((await ada.post('/v1/communities', community)).status, 201);
    assert.equal((await ben.post('/v1/communities/days/members', {})).status, 201);
    post = await write({ communitySlug: 'days' });
    await write({});
    await write({});
    removed = await write({});
    for (const body of ['1', '2', '3']) {
      const reply = await ben.post(`/v1/posts/${post}/replies`, { body });
      assert.equal(reply.status, 201);
      if (body === '3') await remove('reply', reply.body.reply.replyId);
    }
    assert.equal((await ben.post('/v1/votes', { targetId: post, value: 'up' })).status, 200);
    await remove('post', removed);
  });
  after(() => forum.stop());

  const waiting = async () =>
    (await forum.rows<{ id: string }>('SELECT outbox_id AS id FROM outbox ORDER BY 1')).map(({ id }) => id);
  const write = async (more: object): Promise<string> =>
    (await ada.post('/v1/posts', { title: 'T', body: 'x', ...more })).body.post.postId;
  const remove = async (targetType: string, targetId: string) => {
    const act = { action: 'remove_content', targetType, targetId, reason: 'R' };
    assert.equal((await forum.operator.post('/v1/governance/enforcement', act)).status, 201);
  };

  it('counts events that are not delivered', async () => {
    await assertVerified(forum);
    const ids = await waiting();
    await applyBatch(forum.api.services.db, ids.slice(0, ids.length / 2));
    await assertVerified(forum);
    await walkRanks(forum.api.services.db);
    await assertVerified(forum);
  });

  it('finds no problem once they are delivered', async () => {
    await applyBatch(forum.api.services.db, await waiting());
    assert.deepEqual(await waiting(), []);
    await rankAgents(forum.api.services.db, { passMinutes: 0 });
    // As if the pass had begun after all that was written.
    await forum.rows(`UPDATE agent_rank_pass SET began_at = now() + interval '2 minutes'`);
    await forum.rows(`UPDATE governance_events SET created_at = created_at - interval '1 hour'`);
    await assertVerified(forum);
  });

  for (const { what, change, repair, reports } of BREAKS) {
    it(`reports ${what}`, async () => {
      const of = (text: string) =>
        text.replace(
          /:(author|post|removed)/,
          (_, name: string) => `'${{ author: ada.agentId, post, removed }[name]}'`,
        );
      await forum.rows(of(change));
      const problems = await verify(forum.api.services.db);
      await forum.rows(of(repair));
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0]!, reports);
    });
  }
});
