import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { settleAmendments } from '../../src/features/governance/amendments/tallyJob.ts';
import { digestVersion } from '../../src/features/overview/store.ts';
import { execute, type OperationResponse, type Services } from '../../src/pipeline/execute.ts';
import { VersionedCache } from '../../src/pipeline/versionedCache.ts';
import { holdHead } from '../../workers/log/head.ts';
import { sequence } from '../../workers/log/sequencer.ts';
import { act, ballot, DAY_MS, propose, VOTING_MS, veto } from '../features/governance/moderation/support/scenes.ts';
import {
  ask,
  close,
  reply,
  requestSweep,
  runSweep,
  settle,
  solve,
  vote,
} from '../features/questions/support/scenes.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

const FINDING = {
  statement: 'Two and two are four',
  checker: { rules: [{ when: { assert: 'equals', path: 'result.sum', value: 4 }, outcome: 'pass' }] },
  dataset: { terms: [2, 2] },
  result: { sum: 4 },
};

/** An anonymous read. */
interface Read {
  readonly name: string;
  readonly input: object;
}

/** What the writes of the table happen to. */
interface Scene {
  readonly slug: string;
  readonly postId: string;
  readonly replyId: string;
  readonly lastReplyId: string;
  readonly questionId: string;
  readonly answerId: string;
}

describe('a cached response', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  let cyd: TestAgent;
  let scene: Scene;
  before(async () => {
    const limits = ['POSTS', 'REPLIES', 'VOTES', 'BOUNTY_WRITES', 'COMMUNITY_WRITES'];
    forum = await startForum({
      env: {
        ...Object.fromEntries(limits.map((name) => [`LIMIT_${name}`, '5000'])),
        AMENDMENT_QUORUM: '1',
        STARTER_GRANT_FIRST_USE_DAYS: '365',
      },
    });
    [ada, bob, cyd] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
  });
  after(() => forum.stop());

  const setScene = async (): Promise<Scene> => {
    const slug = `c-${randomBytes(6).toString('hex')}`;
    await ada.post('/v1/communities', { slug, displayName: 'C', description: '', visibility: 'public' });
    for (const agent of [bob, cyd]) await agent.post(`/v1/communities/${slug}/members`);
    const post = { title: 'T', body: 'B', communitySlug: slug };
    const { postId } = (await ada.post('/v1/posts', post)).body.post;
    const replyId = await reply(bob, postId);
    const lastReplyId = await reply(bob, postId);
    const questionId = await ask(ada, 1, { communitySlug: slug });
    const answerId = await reply(bob, questionId);
    return { slug, postId, replyId, lastReplyId, questionId, answerId };
  };

  const readBy = (services: Services, { name, input }: Read): Promise<OperationResponse> =>
    execute(services, services.operations.get(name)!, {
      requestId: 'test',
      address: '',
      credentials: {
        ...{ method: 'GET', path: '/', query: '', body: Buffer.alloc(0) },
        ...{ agentId: undefined, timestamp: undefined, nonce: undefined, signature: undefined },
      },
      input: () => ({ ...input }),
    });
  const cached = (read: Read) => readBy(forum.api.services, read);
  /** As a process answers that was just started, without what workers have prepared. */
  const fresh = async (read: Read) => {
    await forum.rows('DELETE FROM aggregates');
    return readBy({ ...forum.api.services, cache: new VersionedCache() }, read);
  };
  /** When a digest was computed is no part of what it says. */
  const shown = ({ status, text, tag }: OperationResponse) => [
    status,
    String(text).replace(/"computedAt":"[^"]+"/, ''),
    tag?.(),
  ];
  async function assertFresh(read: Read) {
    const seen = shown(await cached(read));
    assert.deepEqual(seen, shown(await fresh(read)), read.name);
    return seen;
  }

  /** Asks until what is answered is kept; of what is not there nothing is. */
  async function warm(read: Read): Promise<OperationResponse> {
    let [one, two] = [await cached(read), await cached(read)];
    for (let n = 0; n < 2 && one.text !== two.text; n++) [one, two] = [two, await cached(read)];
    if (one.status === 200) assert.ok(Buffer.isBuffer(one.text) && one.text === two.text, `${read.name} is kept`);
    return two;
  }

  const tally = () => forum.api.services.db.inTransaction((db) => settleAmendments(db, forum.api.clock.aheadMs));
  const thread = (postId: string): Read => ({ name: 'thread.read', input: { postId } });
  const digest = (slug: string): Read => ({ name: 'community.digest', input: { slug } });
  const readsOf = ({ slug, postId, questionId }: Scene): Read[] => [
    thread(postId),
    thread(questionId),
    { name: 'thread.read', input: { postId, limit: 1 } },
    { name: 'thread.read', input: { postId, limit: 1, order: 'newest' } },
    { name: 'thread.read', input: { postId: questionId, order: 'newest' } },
    { name: 'post.list', input: {} },
    { name: 'post.list', input: { limit: 2 } },
    { name: 'post.list', input: { community: slug } },
    { name: 'post.list', input: { community: slug, type: 'question' } },
    digest(slug),
    { name: 'community.digest', input: { slug, limit: 1 } },
  ];

  const operator = (action: string, type: string, id: (scene: Scene) => string) =>
    [`${action} of a ${type}`, (at: Scene) => act(forum, action, type, id(at))] as const;
  const erased = async ({ agentId }: TestAgent) => {
    const { db } = forum.api.services;
    await db.inTransaction(async (held) => sequence(held, (await holdHead(held))!, '0'));
    return act(forum, 'erase_content', 'agent', agentId);
  };
  const removed = (type: string, id: (scene: Scene) => string) => [
    operator('remove_content', type, id),
    operator('restore_content', type, id),
  ];

  /** What nobody writes without an event, which is what the version of a digest counts. */
  const BY_HAND = 'what its columns say';
  /** Writes, each after those before it, on one scene. */
  const HISTORIES: Record<string, readonly (readonly [string, (at: Scene) => Promise<unknown>])[]> = {
    'votes on a post': [
      ['up', ({ postId }) => vote(cyd, postId)],
      ['down', ({ postId }) => vote(cyd, postId, 'down')],
      ['taken back', ({ postId }) => cyd.post('/v1/votes/recant', { targetId: postId })],
    ],
    'erasures of registrations': [
      ['of the author of the post', () => erased(ada)],
      ['of the author of the reply', () => erased(bob)],
    ],
    'votes on a reply': [
      ['up', ({ replyId }) => vote(cyd, replyId)],
      ['down', ({ replyId }) => vote(cyd, replyId, 'down')],
      ['taken back', ({ replyId }) => cyd.post('/v1/votes/recant', { targetId: replyId })],
    ],
    'votes on the last reply': [
      ['up', ({ lastReplyId }) => vote(cyd, lastReplyId)],
      ['taken back', ({ lastReplyId }) => cyd.post('/v1/votes/recant', { targetId: lastReplyId })],
    ],
    'new texts': [
      ['a reply', ({ postId }) => reply(cyd, postId)],
      [
        'a reply to a reply',
        ({ postId, replyId }) => cyd.post(`/v1/posts/${postId}/replies`, { body: 'b', parentReplyId: replyId }),
      ],
      ['a post', ({ slug }) => bob.post('/v1/posts', { title: 'New', body: 'b', communitySlug: slug })],
      [
        'a finding',
        ({ slug }) => bob.post('/v1/posts', { title: 'New', body: 'b', communitySlug: slug, finding: FINDING }),
      ],
      ['a question', ({ slug }) => ask(bob, undefined, { communitySlug: slug })],
    ],
    'a solution': [['', ({ questionId, answerId }) => solve(ada, questionId, answerId)]],
    'a closure': [['', ({ questionId }) => close(ada, questionId)]],
    'a settlement that pays': [
      ['', ({ questionId, answerId }) => settle(forum.operator, questionId, { replyId: answerId })],
    ],
    'a settlement that refunds': [['', ({ questionId }) => settle(forum.operator, questionId, { refund: true })]],
    'a sweep': [
      [
        '',
        async () => {
          forum.advance(60 * DAY_MS);
          await runSweep(forum, (await requestSweep(forum)).jobId);
        },
      ],
    ],
    'moderation of a post': removed('post', ({ postId }) => postId),
    'moderation of a question': removed('post', ({ questionId }) => questionId),
    'moderation of a reply': removed('reply', ({ replyId }) => replyId),
    'moderation of the last reply': removed('reply', ({ lastReplyId }) => lastReplyId),
    'moderation of an answer': removed('reply', ({ answerId }) => answerId),
    'moderation of a community': removed('community', ({ slug }) => slug),
    'erasure of a post': [operator('erase_content', 'post', ({ postId }) => postId)],
    'erasure of a question': [operator('erase_content', 'post', ({ questionId }) => questionId)],
    'erasure of a reply': [operator('erase_content', 'reply', ({ answerId }) => answerId)],
    'erasure of a community': [operator('erase_content', 'community', ({ slug }) => slug)],
    'members who come and go': [
      ['one comes', ({ slug }) => forum.operator.post(`/v1/communities/${slug}/members`)],
      ['one goes', ({ slug }) => forum.operator.post(`/v1/communities/${slug}/members/remove`)],
    ],
    'moderation of an author': [
      operator('suspend_agent', 'agent', () => bob.agentId),
      operator('reinstate_agent', 'agent', () => bob.agentId),
    ],
    [BY_HAND]: [
      ['of a post', ({ postId }) => forum.rows('UPDATE post_states SET upvotes = 9 WHERE post_id = $1', [postId])],
      ['of a reply', ({ replyId }) => forum.rows('UPDATE reply_states SET upvotes = 9 WHERE reply_id = $1', [replyId])],
      [
        'of a question',
        ({ questionId }) => forum.rows('UPDATE questions SET bounty_stake = 9 WHERE post_id = $1', [questionId]),
      ],
    ],
  };

  for (const [what, history] of Object.entries(HISTORIES)) {
    it(`is another after ${what}`, async () => {
      scene = await setScene();
      const reads = readsOf(scene).filter(({ name }) => name !== 'community.digest' || what !== BY_HAND);
      for (const [step, write] of history) {
        const before: OperationResponse[] = [];
        for (const read of reads) before.push(await warm(read));
        await write(scene);
        const after = [];
        for (const read of reads) after.push(await assertFresh(read));
        assert.ok(
          after.some((seen, index) => seen.join() !== shown(before[index]!).join()),
          `${step} shows`,
        );
      }
    });
  }

  it('is sent, as long as nothing was written that a page shows', async () => {
    scene = await setScene();
    const reads = readsOf(scene);
    const kept = [];
    for (const read of reads) kept.push(await warm(read));
    // No operation can do this, so no event reports it.
    await forum.rows("UPDATE posts SET title = 'Changed' WHERE community_slug = $1", [scene.slug]);
    for (const [index, read] of reads.entries()) assert.equal((await cached(read)).text, kept[index]!.text);
    await vote(cyd, scene.postId);
    await vote(cyd, scene.questionId);
    for (const read of reads) {
      assert.match(String((await cached(read)).text), /"title":"Changed"/);
      await assertFresh(read);
    }
  });

  it('is never of a post that proposes an amendment, nor of a page with one', async () => {
    const postId = await propose(forum, ada, `Another ${randomBytes(6).toString('hex')}`);
    const reads = [thread(postId), { name: 'post.list', input: {} }];
    const notKept = async () => {
      for (const read of reads) {
        const [one, two, three] = [await cached(read), await cached(read), await cached(read)];
        assert.equal(one.status, 200);
        for (const each of [one, two, three]) assert.equal(typeof each.text, 'string', read.name);
        await assertFresh(read);
      }
    };
    await notKept();
    await ballot(bob, postId);
    await notKept();
    forum.advance(VOTING_MS);
    await notKept();
    assert.match(String((await cached(reads[0]!)).text), /"state":"ratified"|"state":"rejected"/);
    await tally();
    await notKept();
  });

  it('of the constitution is another as soon as an amendment is ratified, stored or not', async () => {
    const read: Read = { name: 'constitution.read', input: {} };
    for (const end of ['ratified', 'vetoed']) {
      const before = await warm(read);
      const postId = await propose(forum, ada, `Better ${randomBytes(6).toString('hex')}`);
      await ballot(bob, postId);
      assert.equal((await cached(read)).text, before.text);
      if (end === 'vetoed') await veto(forum, 'amendment', postId);
      forum.advance(VOTING_MS);
      for (let n = 0; n < 3; n++) {
        await assertFresh(read);
        assert.equal(String((await cached(read)).text) === String(before.text), end === 'vetoed');
      }
      await tally();
      await warm(read);
      await assertFresh(read);
    }
  });

  it('of an agent’s card is kept', async () => {
    const read: Read = { name: 'agent.read', input: { handle: cyd.handle } };
    await warm(read);
    await assertFresh(read);
    await assertFresh({ name: 'agent.read', input: { handle: 'not-registered' } });
  });

  it('means nothing to a server that takes over without the last write', async () => {
    scene = await setScene();
    const { slug, postId, replyId } = scene;
    const reads = [thread(postId), { name: 'post.list', input: { community: slug } }];
    const tables = { post_states: ['post_id', postId], reply_states: ['reply_id', replyId] } as const;
    for (const [table, [key, id]] of Object.entries(tables)) {
      for (const read of reads) await warm(read);
      const [row] = await forum.rows<{ version: string; upvotes: number }>(
        `SELECT version, upvotes FROM ${table} WHERE ${key} = $1`,
        [id],
      );
      await vote(cyd, id);
      for (const read of reads) await warm(read);
      // As before: the vote was never there.
      await forum.rows(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
      const { version, upvotes } = row!;
      await forum.rows(`UPDATE ${table} SET version = $2, upvotes = $3 WHERE ${key} = $1`, [id, version, upvotes]);
      await forum.rows(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
      for (const read of reads) await assertFresh(read);
      // And another in its place.
      await vote(ada, id, 'down');
      for (const read of reads) await assertFresh(read);
    }
  });

  it('of a digest has a version that names the start of the server which counted it', async () => {
    const { slug } = await setScene();
    const [row] = await forum.rows<{ start: string }>('SELECT pg_postmaster_start_time()::text AS start');
    const version = await digestVersion(forum.api.services.db, slug);
    assert.equal(version!.replace(/ \d+$/, ''), row!.start);
  });

  it('has a new random version at each change, which never repeats', async () => {
    scene = await setScene();
    const seen = new Set<string>();
    for (const [table, key, id] of [
      ['post_states', 'post_id', scene.postId],
      ['reply_states', 'reply_id', scene.replyId],
    ] as const) {
      for (let n = 0; n < 20; n++) {
        const [row] = await forum.rows<{ version: string }>(
          `UPDATE ${table} SET removed = removed WHERE ${key} = $1 RETURNING version`,
          [id],
        );
        seen.add(row!.version);
      }
    }
    assert.equal(seen.size, 40);
  });
});
