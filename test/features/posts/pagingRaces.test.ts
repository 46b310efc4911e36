import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { coverByRemoved, moveToIndex } from '../search/support/searching.ts';

const POSTS = 40;
const REPLIES = 30;
/** The pause of racing writers while no page is requested. */
const ALONE_MS = 20;

/**
 * docs/reading#cursors: items that were committed before the first page and are still visible appear exactly once,
 * later ones at most once.
 */
describe('pages while votes, replies and removals race', function () {
  this.timeout(90_000);
  let forum: TestForum;
  let agents: TestAgent[];
  let slug: string;
  let threadId: string;
  const standing: string[] = [];
  const questions: string[] = [];
  const replies: string[] = [];
  const removed = new Set<string>();
  const asked = new EventEmitter();

  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '1000', LIMIT_REPLIES: '1000', LIMIT_VOTES: '10000' } });
    agents = await Promise.all([forum.agent(), forum.agent(), forum.agent(), forum.agent()]);
    slug = `c-${randomBytes(6).toString('hex')}`;
    const [ada] = agents;
    await ada!.post('/v1/communities', { slug, displayName: 'C', description: '', visibility: 'public' });
    for (let n = 0; n < POSTS; n++) {
      const path = n % 3 === 0 ? '/v1/questions' : '/v1/posts';
      const { post } = (await ada!.post(path, { title: `before ${n}`, body: 'b', communitySlug: slug })).body;
      standing.push(post.postId);
      if (n % 3 === 0) questions.push(post.postId);
    }
    threadId = standing[1]!;
    for (let n = 0; n < REPLIES; n++) {
      replies.push((await ada!.post(`/v1/posts/${threadId}/replies`, { body: `r ${n}` })).body.reply.replyId);
    }
    // What a search finds of them, it finds by its index.
    await coverByRemoved(forum);
  });
  after(() => forum.stop());

  it('keep the promise in every list of posts and in a thread', async () => {
    const done = new AbortController();
    const racing = [...agents.map((agent, index) => vote(agent, index, done.signal)), moderate(done.signal)];
    try {
      for (let round = 0; round < 3; round++) {
        await requirePromise(standing, await walk('/v1/posts', 'limit=3', 'postId'));
        await requirePromise(standing, await walk('/v1/posts', `limit=4&community=${slug}`, 'postId'));
        await requirePromise(standing, await walk('/v1/posts', `limit=5&author=${agents[0]!.handle}`, 'postId'));
        await requirePromise(
          questions,
          await walk('/v1/posts', `limit=2&type=question&author=${agents[0]!.handle}`, 'postId'),
        );
        await requirePromise(
          standing,
          await walk('/v1/posts', `limit=3&community=${slug}&author=${agents[0]!.handle}`, 'postId'),
        );
        await requirePromise(questions, await walk('/v1/questions/unanswered', 'limit=3', 'postId'));
        await moveToIndex(forum, { blockPosts: 7, segmentBlocks: 2 });
        await requirePromise(standing, await walk('/v1/search', 'limit=4&q=before', 'postId'));
        // What is removed of a thread keeps its place.
        const thread = await walk(`/v1/posts/${threadId}`, 'limit=7', 'replyId');
        assert.deepEqual(thread.slice(0, replies.length), replies);
      }
    } finally {
      done.abort();
      await Promise.all(racing);
    }
  });

  /** Once each, whatever else is there; what was removed at some time may be missing. */
  function requirePromise(there: readonly string[], seen: readonly string[]): void {
    assert.equal(new Set(seen).size, seen.length, 'something appeared twice');
    const missing = there.filter((id) => !seen.includes(id) && !removed.has(id));
    assert.deepEqual(missing, []);
  }

  async function walk(path: string, query: string, id: 'postId' | 'replyId'): Promise<string[]> {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      asked.emit('page');
      const { status, body } = await agents[0]!.anonymous('GET', path, { query: `${query}${cursor}` });
      assert.equal(status, 200, JSON.stringify(body));
      const items = (body.items ?? body.posts ?? body.replies) as Record<string, string>[];
      seen.push(...items.map((item) => item[id]!));
      const next = body.nextCursor ?? body.nextReplyCursor;
      if (!next) return seen;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }

  /**
   * Until the next page is asked for. So each races with some of the writes, however long it takes: those that do not
   * wait grow the lists, and take the processor from the pages.
   */
  const turn = () => once(asked, 'page', { signal: AbortSignal.timeout(ALONE_MS) }).catch(() => undefined);

  async function vote(agent: TestAgent, index: number, signal: AbortSignal): Promise<void> {
    for (let n = index; !signal.aborted; n++) {
      const targetId = n % 4 === 0 ? replies[n % REPLIES]! : standing[(n * 7) % POSTS]!;
      await agent.post('/v1/votes', { targetId, value: n % 2 === 0 ? 'up' : 'down' });
      if (n % 5 === 0) await agent.post('/v1/posts', { title: 'meanwhile', body: 'b' });
      await turn();
      await turn();
    }
  }

  async function moderate(signal: AbortSignal): Promise<void> {
    for (let n = 0; !signal.aborted; n++) {
      const [targetType, targetId] = n % 2 === 0 ? ['post', standing[5 + (n % 9)]!] : ['reply', replies[n % 9]!];
      removed.add(targetId);
      for (const action of ['remove_content', 'restore_content']) {
        await forum.operator.post('/v1/governance/enforcement', { action, targetType, targetId, reason: 'A test' });
        await turn();
      }
    }
  }
});
