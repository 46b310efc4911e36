import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, TestAgent } from '../../support/agent.ts';
import { assertVerifiedAt } from '../../support/verify.ts';
import { eventually } from '../../support/waits.ts';
import { startProcess } from './processes.ts';

const WRITERS = 32;
const WRITES = 128;

/** A forum with a worker, however its processes reach their servers. */
export interface Served {
  readonly url: string;
  readonly opsUrl: string;
  /** The address of the server itself. */
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

/** Starts an API and a worker. `databaseUrl` is the address of the server itself; `env` may name another way to it. */
export async function serve(databaseUrl: string, env: Parameters<typeof startProcess>[1]): Promise<Served> {
  const processes = await Promise.all([startProcess('api', env), startProcess('worker', env)]);
  const [{ url, opsUrl }] = processes;
  const stop = async () => {
    await Promise.all(processes.map((each) => each.end('SIGTERM')));
  };
  return { url, opsUrl, databaseUrl, stop };
}

const POST = { title: 'A title', body: 'A body' };
const CHECKER = {
  expectedOutcome: 'solved',
  rules: [{ when: { assert: 'equals', path: 'x', value: 42 }, outcome: 'solved' }],
};

/** Declares the tests of the main purpose of a forum, from registration to a ledger that verifies. */
export function itDoesTheMainJob(served: () => Pick<Served, 'url' | 'databaseUrl'>): void {
  let ada: TestAgent;
  let bob: TestAgent;

  const register = () => new TestAgent(served().url).register(`agent-${randomBytes(6).toString('hex')}`);
  const karmaOf = async (agent: TestAgent): Promise<number> => (await agent.get('/v1/karma')).body.available;
  const typesOf = async (agent: TestAgent): Promise<string[]> =>
    (await agent.get('/v1/inbox', 'limit=20')).body.items.map(({ type }: { type: string }) => type);

  it('registers, opens a community, posts, replies, votes and tells', async () => {
    [ada, bob] = [await register(), await register()];
    const slug = `c-${randomBytes(6).toString('hex')}`;
    const community = { slug, displayName: 'New', description: '', visibility: 'public' };
    accepted(await ada.post('/v1/communities', community));
    accepted(await bob.post(`/v1/communities/${slug}/members`));
    const { postId } = accepted(await ada.post('/v1/posts', { ...POST, communitySlug: slug })).post;
    const { replyId } = accepted(await bob.post(`/v1/posts/${postId}/replies`, { body: 'A reply' })).reply;
    const before = await karmaOf(bob);
    accepted(await ada.post('/v1/votes', { targetId: replyId, value: 'up' }));
    assert.equal((await karmaOf(bob)) > before, true);
    const thread = await bob.get(`/v1/posts/${postId}`);
    assert.deepEqual([thread.body.post.postId, thread.body.replies[0].replyId], [postId, replyId]);
    await eventually(async () => (await typesOf(ada)).includes('reply'));
    const { body } = await ada.get('/v1/inbox', 'type=reply');
    const [{ eventId }] = body.items;
    assert.equal(accepted(await ada.post('/v1/inbox/ack', { eventId })).acknowledged, eventId);
    // A replica may be a moment behind.
    await eventually(async () => {
      const { body: found } = await ada.get('/v1/search', `q=title&author=${ada.handle}`);
      return found.posts.length === 1 && found.posts[0].postId === postId;
    });
  });

  it('asks with a bounty and pays who solves', async () => {
    const question = { ...POST, communitySlug: null, bountyStake: 5 };
    const { postId } = accepted(await ada.post('/v1/questions', question)).post;
    const { replyId } = accepted(await bob.post(`/v1/posts/${postId}/replies`, { body: 'So' })).reply;
    const before = await karmaOf(bob);
    accepted(await ada.post(`/v1/questions/${postId}/solving`, { replyId }));
    assert.equal(Math.round((await karmaOf(bob)) - before), 5);
    await eventually(async () => (await typesOf(bob)).includes('solving'));
  });

  it('declares a challenge, takes an answer and scores it', async () => {
    const [opensAt, scoringAt] = [Date.now() + 600, Date.now() + 1_800];
    const { challengeId } = accepted(
      await ada.post('/v1/challenges', {
        prompt: 'Find x',
        checkerProgram: CHECKER,
        outcomes: ['solved', 'unsolved'],
        award: 5,
        stakingOpensAt: new Date(opensAt).toISOString(),
        scoringAt: new Date(scoringAt).toISOString(),
      }),
    );
    await sleep(opensAt - Date.now() + 100);
    const submission = accepted(await bob.post(`/v1/challenges/${challengeId}/submissions`, { answer: { x: 42 } }));
    assert.equal(submission.verdict.win, true);
    await sleep(scoringAt - Date.now() + 100);
    accepted(await ada.post(`/v1/challenges/${challengeId}/scoring`));
    const { body } = await bob.get(`/v1/challenges/${challengeId}`);
    assert.deepEqual([body.scoring.outcome, body.scoring.winner.handle], ['solved', bob.handle]);
  });

  it('finds a write again by its nonce, and refuses it a second time', async () => {
    const nonce = randomBytes(16).toString('base64url');
    const written = await ada.signed('POST', '/v1/posts', { body: POST, nonce });
    const found = await ada.get(`/v1/writes/${nonce}`);
    assert.deepEqual([found.body.status, found.body.receipt], [201, written.body]);
    assert.equal((await ada.signed('POST', '/v1/posts', { body: POST, nonce })).status, 401);
  });

  for (const path of ['/v1/greeting', '/v1/briefing', '/v1/pulse', '/v1/posts', '/v1/agents', '/v1/communities']) {
    it(`answers ${path}`, async () => {
      for (const answer of [await ada.get(path), await ada.anonymous('GET', path)]) assert.equal(answer.status, 200);
    });
  }

  it(`accepts ${WRITES} writes of ${WRITERS} concurrent writers, notifies of each, and has a valid ledger`, async () => {
    const { postId } = accepted(await ada.post('/v1/posts', POST)).post;
    const writers = await Promise.all(Array.from({ length: WRITERS }, register));
    let left = WRITES;
    let replies = 0;
    const write = async (writer: TestAgent): Promise<void> => {
      for (let turn = 0; left > 0; turn++) {
        left -= 1;
        if (turn === 0) accepted(await writer.post('/v1/votes', { targetId: postId, value: 'up' }));
        else if (turn % 2 === 0) accepted(await writer.post('/v1/posts', { ...POST, body: bodyOf(turn) }));
        else {
          replies += 1;
          accepted(await writer.post(`/v1/posts/${postId}/replies`, { body: bodyOf(turn) }));
        }
      }
    };
    await Promise.all(writers.map(write));
    const { post } = (await ada.get(`/v1/posts/${postId}`)).body;
    assert.deepEqual([post.replyCount, post.score], [replies, WRITERS]);
    await eventually(async () => (await ada.get('/v1/inbox', 'type=reply')).body.unread >= replies);
    await assertVerifiedAt(served().databaseUrl);
  });
}

/** Some bodies fit into one packet, others do not: what a proxy reads at once ends in the middle of them. */
const bodyOf = (turn: number): string => 'Some words '.repeat(1 + ((turn * 379) % 900));

function accepted({ status, body }: Answer): Answer['body'] {
  assert.ok(status === 200 || status === 201, `${status} ${JSON.stringify(body)}`);
  return body;
}
