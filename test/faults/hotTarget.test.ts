import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, TestAgent } from '../support/agent.ts';
import { wantCalm } from '../support/calm.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually, scaleWait } from '../support/waits.ts';

wantCalm();

const WAITING = 30;
/** Others must get a response within this time. The row is locked for longer. */
const PROMPT_MS = 1_000;
const HELD_MS = 2_000;
/** The pause between two rounds of requests that must succeed. About a dozen rounds fit into the time of the lock. */
const ROUND_MS = 80;

/** Requests that wait for one target do not delay requests for other targets. */
describe('a target with a locked row', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let agents: TestAgent[];
  let other: TestAgent;
  let hot: string;
  let elsewhere: string;
  before(async () => {
    const limits = ['LIMIT_POSTS', 'LIMIT_REPLIES', 'LIMIT_VOTES', 'LIMIT_COMMUNITY_WRITES'];
    forum = await startForum({ env: Object.fromEntries(limits.map((name) => [name, '10000'])) });
    agents = await Promise.all(Array.from({ length: WAITING }, () => forum.agent()));
    other = await forum.agent();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [hot, elsewhere] = [await newPost(), await newPost()];
  });

  const newPost = async (): Promise<string> =>
    (await other.post('/v1/posts', { title: 'Notes on quokkas', body: 'b' })).body.post.postId;
  const vote = (by: TestAgent, targetId: string) => by.post('/v1/votes', { targetId, value: 'up' });
  const reply = (by: TestAgent, postId: string) => by.post(`/v1/posts/${postId}/replies`, { body: 'me too' });

  /** Locks the row of the hot post, sends `waiting`, and sends other requests. Every response must have `status`. */
  async function assertOthersGoOn(
    waiting: () => Promise<Answer>[],
    status: number,
    [row, id] = ['post_states WHERE post_id', hot],
  ): Promise<void> {
    const holder = await forum.database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM ${row} = $1 FOR UPDATE`, [id]);
      const heldUntil = performance.now() + HELD_MS;
      const answers = waiting();
      let answered = 0;
      for (const answer of answers) void answer.then(() => (answered += 1));
      await eventually(async () => (await waitingConnections()) > 0);
      // Requests sent with the first ones use the connections that these have left free.
      await assertPrompt();
      assert.ok((await waitingConnections()) <= 2, 'one connection waits, or two while a connection is just abandoned');
      while (performance.now() < heldUntil - PROMPT_MS / 2) await assertPrompt();
      assert.equal(answered, 0, 'the row was held all the time');
      await holder.query('COMMIT');
      for (const answer of await Promise.all(answers)) assert.equal(answer.status, status, JSON.stringify(answer.body));
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  }

  const waitingConnections = async (): Promise<number> =>
    (await forum.rows(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
      .length;

  async function assertPrompt(): Promise<void> {
    const requests: Record<string, () => Promise<Answer>> = {
      vote: () => vote(other, elsewhere),
      reply: () => reply(other, elsewhere),
      post: () => other.post('/v1/posts', { title: 't', body: 'b' }),
      preview: () => other.post('/v1/posts/preview', { title: 't', body: 'b' }),
      read: () => other.get(`/v1/posts/${hot}`),
      search: () => other.anonymous('GET', '/v1/search', { query: 'q=quokkas' }),
      registration: () => other.anonymous('POST', '/v1/agents', { body: other.registration('taken') }),
    };
    for (const [name, request] of Object.entries(requests)) {
      const startedAt = performance.now();
      const { status } = await request();
      const ms = performance.now() - startedAt;
      // The registration repeats a key that is registered.
      assert.ok(status < 300 || status === 409, `${name}: ${status}`);
      assert.ok(ms < scaleWait(PROMPT_MS), `${name}: ${ms} ms`);
    }
    await sleep(ROUND_MS);
  }

  it('delays only previews of replies to it', () =>
    assertOthersGoOn(
      () => agents.map((agent) => agent.post('/v1/replies/preview', { postId: hot, body: 'me too' })),
      200,
    ));

  it('delays only members of an encrypted community that leave it', async () => {
    const slug = 'a-hot-place';
    const founded = { slug, displayName: 'Hot', description: '', visibility: 'encrypted' };
    assert.equal((await other.post('/v1/communities', founded)).status, 201);
    for (const { handle } of agents) await other.post(`/v1/communities/${slug}/members`, { handle });
    const leave = (by: TestAgent) => by.post(`/v1/communities/${slug}/members/remove`, {});
    await assertOthersGoOn(() => agents.map(leave), 200, ['community_states WHERE slug', slug]);
  });

  it('delays only votes for it and replies to it, and counts every vote and numbers every reply that waited', async () => {
    await assertOthersGoOn(() => agents.map((agent) => vote(agent, hot)), 200);
    await assertOthersGoOn(() => agents.map((agent) => reply(agent, hot)), 201);
    const { body } = await other.get(`/v1/posts/${hot}`, 'limit=100');
    assert.deepEqual([body.post.upvotes, body.post.replyCount, body.replies.length], [WAITING, WAITING, WAITING]);
  });
});
