import assert from 'node:assert/strict';
import { seal } from '../features/communities/support/envelopes.ts';
import { assertModeration } from '../features/governance/moderation/support/scenes.ts';
import { coverByRemoved, moveToIndex, statementsOf } from '../features/search/support/searching.ts';
import type { Answer, TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertVerified } from '../support/verify.ts';
import { eventually } from '../support/waits.ts';

const SEED = Number(process.env.MODERATION_SEED ?? Date.now() % 1_000_000);
const ROUNDS = 45;
const ACTS_A_ROUND = 10;
const LIMITS = Object.fromEntries(
  ['POSTS', 'REPLIES', 'VOTES', 'BOUNTY_WRITES', 'COMMUNITY_WRITES', 'FEEDBACK_WRITES', 'CHALLENGE_SUBMISSIONS'].map(
    (name) => [`LIMIT_${name}`, '10000'],
  ),
);
const HOUR_MS = 3_600_000;

/** A random number generator that can be started again at the same place. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What the rules say is visible, put as plainly as can be: the slow recount. */
const VISIBLE_POSTS = `SELECT p.post_id FROM posts p JOIN post_states s USING (post_id)
  WHERE NOT s.removed AND NOT p.hidden
    AND (p.community_slug IS NULL OR p.community_slug NOT IN (SELECT slug FROM community_states WHERE removed))`;
const ANSWERS = `SELECT r.reply_id, r.post_id FROM replies r JOIN reply_states s USING (reply_id)
  JOIN posts p ON p.post_id = r.post_id
  WHERE NOT s.removed AND r.author_id <> p.author_id
    AND r.author_id NOT IN (SELECT agent_id FROM agent_states WHERE suspended)`;

describe(`moderation while others write (MODERATION_SEED=${SEED})`, () => {
  const random = numbers(SEED);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  let forum: TestForum;
  let writers: TestAgent[];
  const slugs = ['open-one', 'open-two', 'closed-one'];
  const made: Record<'post' | 'reply' | 'question' | 'challenge' | 'feedback', string[]> = {
    post: [],
    reply: [],
    question: [],
    challenge: [],
    feedback: [],
  };
  const outcomes = new Map<number, number>();

  before(async function () {
    this.timeout(60_000);
    forum = await startForum({ env: LIMITS, workers: true });
    writers = await Promise.all(Array.from({ length: 5 }, () => forum.agent()));
    for (const slug of slugs) {
      const visibility = slug === 'closed-one' ? 'encrypted' : 'public';
      await writers[0]!.post('/v1/communities', { slug, displayName: slug, description: '', visibility });
      if (visibility === 'public') for (const by of writers.slice(1)) await by.post(`/v1/communities/${slug}/members`);
    }
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(Array.from({ length: ACTS_A_ROUND }, () => (random() < 0.4 ? moderate() : write())));
    }
  });
  after(() => forum.stop());

  /** Anything but a fault of the service is a fair answer. */
  function note(answer: Answer): Answer {
    assert.ok(answer.status < 500, JSON.stringify(answer.body));
    outcomes.set(answer.status, (outcomes.get(answer.status) ?? 0) + 1);
    return answer;
  }

  async function write(): Promise<void> {
    const by = pick(writers);
    const kind = random();
    const communitySlug = pick([null, null, 'open-one', 'open-two']);
    const text = { title: `Title ${Math.floor(random() * 1e6)}`, body: 'A body' };
    if (kind < 0.2) remember('post', note(await by.post('/v1/posts', { ...text, communitySlug })).body.post?.postId);
    else if (kind < 0.25) {
      const sealed = seal(writers[0]!, [writers[0]!.encryptionPublicKey]);
      const hidden = { title: text.title, body: sealed, communitySlug: 'closed-one' };
      remember('post', note(await writers[0]!.post('/v1/posts', hidden)).body.post?.postId);
    } else if (kind < 0.4) {
      const bountyStake = random() < 0.5 ? 1 : undefined;
      const question = note(await by.post('/v1/questions', { ...text, communitySlug, bountyStake })).body.post?.postId;
      remember('question', question);
      remember('post', question);
    } else if (kind < 0.7 && made.post.length > 0) {
      const postId = pick(random() < 0.5 && made.question.length > 0 ? made.question : made.post);
      remember('reply', note(await by.post(`/v1/posts/${postId}/replies`, { body: 'R' })).body.reply?.replyId);
    } else if (kind < 0.8 && made.post.length > 0) {
      note(await by.post('/v1/votes', { targetId: pick([...made.post, ...made.reply]), value: pick(['up', 'down']) }));
    } else if (kind < 0.86 && made.question.length > 0 && made.reply.length > 0) {
      note(await by.post(`/v1/questions/${pick(made.question)}/solving`, { replyId: pick(made.reply) }));
    } else if (kind < 0.9 && made.question.length > 0)
      note(await by.post(`/v1/questions/${pick(made.question)}/closure`));
    else if (kind < 0.95)
      remember('feedback', note(await by.post('/v1/feedback', { kind: 'bug', ...text })).body.feedback?.feedbackId);
    else remember('challenge', note(await by.post('/v1/challenges', declaration())).body.challengeId);
  }

  const declaration = () => ({
    prompt: 'Guess',
    checkerProgram: {
      expectedOutcome: 'yes',
      rules: [{ when: { assert: 'exists', path: 'a' }, outcome: 'yes' }],
    },
    outcomes: ['yes', 'no'],
    award: 0.5,
    stakingOpensAt: new Date(forum.api.clock.now() + HOUR_MS).toISOString(),
    scoringAt: new Date(forum.api.clock.now() + 2 * HOUR_MS).toISOString(),
  });

  function remember(kind: keyof typeof made, id: string | undefined): void {
    if (id !== undefined) made[kind].push(id);
  }

  async function moderate(): Promise<void> {
    const kind = random();
    const reason = 'By the dice';
    if (kind < 0.06 && made.challenge.length > 0) {
      const body = { targetType: 'challenge', targetId: pick(made.challenge), reason };
      note(await forum.operator.post('/v1/governance/veto', body));
      return;
    }
    const action = pick(['remove_content', 'remove_content', 'restore_content', 'restore_content', 'erase_content']);
    const act = async (targetType: string, targetId: string, does = action) =>
      note(await forum.operator.post('/v1/governance/enforcement', { action: does, targetType, targetId, reason }));
    if (kind < 0.2)
      await act('agent', pick(writers).agentId, pick(['suspend_agent', 'reinstate_agent', 'reinstate_agent']));
    else if (kind < 0.3) await act('community', pick(slugs), pick(['remove_content', 'restore_content']));
    else if (kind < 0.4 && made.feedback.length > 0) await act('feedback', pick(made.feedback));
    else if (kind < 0.48 && made.challenge.length > 0) await act('challenge', pick(made.challenge));
    else if (kind < 0.75 && made.reply.length > 0) await act('reply', pick(made.reply));
    else if (made.post.length > 0) await act('post', pick(made.post));
  }

  const ids = async (text: string, values: unknown[] = []) =>
    (await forum.rows<Record<string, string>>(text, values)).map((row) => Object.values(row)[0]!);
  const number = async (text: string, values: unknown[] = []) => Number((await ids(text, values))[0]);

  /** All pages of a list, read anonymously. */
  async function listed(
    path: string,
    query: string,
    idOf: (item: Record<string, string>) => string,
  ): Promise<string[]> {
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await forum.operator.anonymous('GET', path, { query: `${query}${cursor}` });
      assert.equal(status, 200, JSON.stringify(body));
      found.push(...(body.items ?? body.posts).map(idOf));
      if (!body.nextCursor) return found;
      cursor = `&cursor=${body.nextCursor}`;
    }
  }
  const postId = (item: Record<string, string>) => item.postId!;

  async function assertCounts(): Promise<void> {
    const posts = await number(`SELECT count(*) FROM (${VISIBLE_POSTS}) v`);
    const { totals } = (await forum.operator.anonymous('GET', '/v1/greeting')).body;
    assert.equal(totals.posts, posts);
    const replies = `SELECT count(*) FROM replies r JOIN reply_states s USING (reply_id) JOIN (${VISIBLE_POSTS}) v USING (post_id)
      WHERE NOT s.removed`;
    const { body: pulse } = await forum.operator.anonymous('GET', '/v1/pulse');
    assert.deepEqual([pulse.posts, pulse.replies], [posts, await number(replies)]);
    const { agents, ...written } = pulse.lastDay;
    const votes = await number(`SELECT sum(votes_cast) FROM scope_slots WHERE scope = ''`);
    assert.deepEqual(written, { posts, replies: pulse.replies, votes }, 'all of it was written within the last day');
    assert.equal(agents, pulse.agents);
    const counted = `SELECT p.community_slug, count(*) FROM posts p JOIN post_states s USING (post_id)
      WHERE NOT s.removed GROUP BY 1`;
    const byCommunity = new Map(
      (await forum.rows<{ community_slug: string; count: string }>(counted)).map((row) => [
        row.community_slug,
        +row.count,
      ]),
    );
    const standing = await ids('SELECT slug FROM community_states WHERE NOT removed');
    for (const slug of standing) {
      const { body } = await writers[0]!.get(`/v1/communities/${slug}`);
      assert.equal(body.postCount, byCommunity.get(slug) ?? 0, slug);
    }
  }

  it('met acceptance and refusal', () => {
    assert.ok((outcomes.get(201) ?? 0) > 100, JSON.stringify([...outcomes]));
    assert.ok((outcomes.get(404) ?? 0) + (outcomes.get(409) ?? 0) > 20, JSON.stringify([...outcomes]));
  });

  it('leaves every list as a slow recount has it', async function () {
    this.timeout(60_000);
    const newest = await ids(`${VISIBLE_POSTS} ORDER BY 1 DESC`);
    assert.deepEqual(await listed('/v1/posts', 'limit=20', postId), newest);
    assert.deepEqual(await listed('/v1/search', 'q=title&limit=20', postId), newest);
    for (const slug of ['open-one', 'open-two']) {
      const isRemoved = (await ids('SELECT slug FROM community_states WHERE slug = $1 AND removed', [slug])).length > 0;
      const inside = await ids(
        `SELECT post_id FROM (${VISIBLE_POSTS}) v JOIN posts USING (post_id)
        WHERE community_slug = $1 ORDER BY 1 DESC`,
        [slug],
      );
      if (isRemoved) assert.deepEqual(inside, []);
      else assert.deepEqual(await listed('/v1/posts', `community=${slug}&limit=20`, postId), inside);
    }
    for (const { agentId, handle } of writers) {
      const own = await ids(
        `SELECT post_id FROM (${VISIBLE_POSTS}) v JOIN posts USING (post_id)
        WHERE author_id = $1 ORDER BY 1 DESC`,
        [agentId],
      );
      assert.deepEqual(await listed('/v1/posts', `author=${handle}&limit=20`, postId), own);
      const { posts, feedback } = (await forum.operator.anonymous('GET', `/v1/agents/${handle}/dossier`)).body;
      assert.deepEqual([posts.count, posts.latest.map(postId)], [own.length, own.slice(0, 5)]);
      const filed = await number(
        `SELECT count(*) FROM feedback JOIN feedback_states USING (feedback_id)
        WHERE author_id = $1 AND NOT removed`,
        [agentId],
      );
      if (feedback) assert.equal(feedback.open, filed);
    }
    const unanswered = `SELECT v.post_id FROM (${VISIBLE_POSTS}) v JOIN questions q USING (post_id)
      WHERE q.state = 'open' AND NOT EXISTS (SELECT FROM (${ANSWERS}) a WHERE a.post_id = v.post_id) ORDER BY 1`;
    assert.deepEqual(await listed('/v1/questions/unanswered', 'limit=20', postId), await ids(unanswered));
    const feedback = 'SELECT feedback_id FROM feedback_states WHERE NOT removed ORDER BY 1 DESC';
    assert.deepEqual(await listed('/v1/feedback', 'limit=20', (item) => item.feedbackId!), await ids(feedback));
    const challenges =
      'SELECT challenge_id FROM challenge_states WHERE NOT removed AND vetoed_at IS NULL ORDER BY 1 DESC';
    assert.deepEqual(await listed('/v1/challenges', 'limit=20', (item) => item.challengeId!), await ids(challenges));
  });

  it('leaves every count as a slow recount has it, before and after all events are folded', async function () {
    this.timeout(60_000);
    await assertCounts();
    await eventually(async () => (await ids('SELECT outbox_id FROM outbox LIMIT 1')).length === 0);
    await assertCounts();
    const counts = await forum.rows(
      `SELECT s.post_id, s.reply_count, (SELECT count(*)::integer FROM replies r JOIN reply_states x USING (reply_id)
              WHERE r.post_id = s.post_id AND NOT x.removed) AS counted
       FROM post_states s`,
    );
    for (const { post_id, reply_count, counted } of counts as Record<string, unknown>[])
      assert.equal(reply_count, counted, String(post_id));
    const answers = await forum.rows(
      `SELECT q.post_id, q.answer_count, (SELECT count(*)::integer FROM (${ANSWERS}) a WHERE a.post_id = q.post_id) AS counted
       FROM questions q WHERE q.state = 'open'`,
    );
    for (const { post_id, answer_count, counted } of answers as Record<string, unknown>[])
      assert.equal(answer_count, counted, String(post_id));
  });

  it('resolves the question of every post that was ever removed, and no bounty is lost', async () => {
    const open = await ids(
      `SELECT q.post_id FROM questions q JOIN posts p USING (post_id)
       WHERE q.state = 'open' AND (EXISTS (
         SELECT FROM governance_events e WHERE e.kind = 'remove_content' AND e.target_id = q.post_id)
         OR q.hold_seq IS NOT NULL AND p.community_slug IN (SELECT slug FROM community_states WHERE removed))`,
    );
    assert.deepEqual(open, []);
    await assertVerified(forum);
  });

  it('is rebuilt by replaying the public events', () => assertModeration(forum));

  it('leaves what the index of search finds as a slow recount has it', async () => {
    const newest = await ids(`${VISIBLE_POSTS} ORDER BY 1 DESC`);
    await moveToIndex(forum, { blockPosts: 8, segmentBlocks: 4 });
    await coverByRemoved(forum);
    const sent = await statementsOf(forum, async () =>
      assert.deepEqual(await listed('/v1/search', 'q=title&limit=20', postId), newest),
    );
    assert.ok(sent.includes('search.lookUp'), sent.join());
  });
});
