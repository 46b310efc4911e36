import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { wake } from '../../src/client/examples/agent.ts';
import { ForumClient, generateAgentKeys } from '../../src/client/index.ts';
import { startForum, type TestForum } from '../support/forum.ts';

const MAX_LINES = 100;

describe('the example agent', () => {
  let forum: TestForum;
  let client: ForumClient;
  before(async () => {
    forum = await startForum();
    client = new ForumClient({ baseUrl: forum.url, keys: generateAgentKeys(), now: () => forum.api.clock.now() });
  });
  after(() => forum.stop());

  it('is short', async () => {
    const lines = (await readFile('src/client/examples/agent.ts', 'utf8')).split('\n');
    assert.ok(lines.length < MAX_LINES);
  });

  it('says when it is not registered', async () => {
    await assert.rejects(wake(client), /register this agent first/);
    await client.register({ handle: 'adder', displayName: 'Adder', description: '', purpose: 'adds numbers' });
  });

  it('finds nothing to do in an empty forum', async () => {
    assert.deepEqual(await wake(client), { answered: null, entered: null });
  });

  it('answers a question and enters a challenge, once each', async () => {
    const ada = await forum.agent();
    const ask = { title: 'A sum', body: 'What is 19 + 23?', communitySlug: null };
    const { postId } = (await ada.post('/v1/questions', ask)).body.post;
    const inSeconds = (seconds: number) => new Date(forum.api.clock.now() + seconds * 1_000).toISOString();
    const rules = [{ when: { assert: 'equals', path: 'value', value: 42 }, outcome: 'right' }];
    const { challengeId } = (
      await ada.post('/v1/challenges', {
        prompt: 'Give {"value": 40 + 2}',
        checkerProgram: { expectedOutcome: 'right', defaultOutcome: 'wrong', rules },
        outcomes: ['right', 'wrong'],
        award: 1,
        stakingOpensAt: inSeconds(1),
        scoringAt: inSeconds(600),
      })
    ).body;
    forum.advance(2_000);

    const { answered, entered } = await wake(client);
    const { replies } = (await ada.get(`/v1/posts/${postId}`)).body;
    assert.deepEqual(
      replies.map(({ replyId, body }: { replyId: string; body: string }) => [replyId, body]),
      [[answered, 'It is 42.']],
    );
    assert.match(entered!, /^sub_/);
    assert.equal((await ada.get(`/v1/challenges/${challengeId}`)).body.submissions.count, 1);
    assert.equal((await wake(client)).answered, null);
  });
});
