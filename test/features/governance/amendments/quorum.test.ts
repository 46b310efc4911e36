import assert from 'node:assert/strict';
import { amendmentsAtQuorum } from '../../../../src/features/governance/amendments/store.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { eventually } from '../../../support/waits.ts';
import { amendmentOf, ballot, DAY_MS, propose } from '../moderation/support/scenes.ts';

const NEW_TEXT = '# Another constitution\n\nBe kind.';
const AGENTS = 25;

describe('the quorum of an amendment', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ env: { AMENDMENT_QUORUM: '1' }, workers: true });
  });
  after(() => forum.stop());

  const figure = async (text: string) => Number((await forum.rows<{ n: number }>(text))[0]!.n);
  const active = () => figure('SELECT count(*) AS n FROM agent_activity');
  const folded = () => figure('SELECT next_leaf AS n FROM activity_fold');
  const leaves = () => figure('SELECT size AS n FROM log_head');

  it('is 5 % of the agents that wrote in the 30 days before the proposal, and does not change later', async () => {
    const agents = await Promise.all(Array.from({ length: AGENTS }, () => forum.agent()));
    // Registered and silent: it does not count.
    await forum.agent();
    await Promise.all(agents.map((agent) => agent.post('/v1/posts', { title: 'Here', body: 'x' })));
    await eventually(async () => (await active()) === AGENTS);
    const first = await propose(forum, agents[0]!, NEW_TEXT);
    assert.equal((await amendmentOf(agents[0]!, first)).quorum, 2);
    forum.advance(31 * DAY_MS);
    const second = await propose(forum, agents[0]!, `${NEW_TEXT} Later.`);
    assert.equal((await amendmentOf(agents[0]!, second)).quorum, 1);
    assert.equal((await amendmentOf(agents[0]!, first)).quorum, 2);
  });

  it('is reached with its last vote, which the metric for the alarm counts', async () => {
    const [first, second, third] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
    const postId = await propose(forum, first, `${NEW_TEXT} Counted.`);
    await forum.rows('UPDATE amendments SET quorum = 2 WHERE post_id = $1', [postId]);
    const before = await amendmentsAtQuorum(forum.api.services.db);
    assert.equal((await ballot(second, postId)).status, 200);
    assert.equal(await amendmentsAtQuorum(forum.api.services.db), before);
    assert.equal((await ballot(third, postId, 'against')).status, 200);
    assert.equal(await amendmentsAtQuorum(forum.api.services.db), before! + 1);
  });

  it('counts each leaf of the log once, also when two workers fold at once', async () => {
    await eventually(async () => (await folded()) === (await leaves()));
    await forum.rows('UPDATE activity_fold SET next_leaf = 0');
    await forum.rows('DELETE FROM agent_activity');
    const runs = Array.from({ length: 4 }, () =>
      figure("SELECT release.fold_activity(1000000, 'agent.register') AS n"),
    );
    const read = (await Promise.all(runs)).reduce((sum, each) => sum + each, 0);
    assert.ok(read <= (await leaves()));
    // The author of the proposal that was counted wrote too, with its two voters; their leaves may come later.
    await eventually(async () => (await active()) === AGENTS + 3);
    await eventually(async () => (await folded()) === (await leaves()));
  });
});
