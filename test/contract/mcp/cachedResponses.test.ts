import assert from 'node:assert/strict';
import { membersOf } from '../../../src/mcp/results.ts';
import { boundTools } from '../../../src/mcp/tools.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import type { OperationResponse } from '../../../src/pipeline/execute.ts';
import { UNTRUSTED_NOTICE } from '../../../src/protocol/service.ts';
import { reply, vote } from '../../features/questions/support/scenes.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

const TITLE = 'Größe “quoted”, \\ and 𝄞';
const CALLED = { given: {}, isSigned: false, toolOf: () => undefined };
const RESPONSE: OperationResponse = { status: 200, text: '', headers: {}, agentId: undefined, log: {} };
/** The first makes the response be cached, the next write the result around it, the last use that. */
const TIMES = 4;

describe('MCP results around cached responses', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum();
    [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
  });
  after(() => forum.stop());

  const newPost = async () => (await ada.post('/v1/posts', { title: TITLE, body: 'b' })).body.post.postId as string;
  async function called(postId: string, by?: TestAgent) {
    const message = { jsonrpc: '2.0', id: 'ä"7', method: 'tools/call' };
    const body = { ...message, params: { name: 'get_post', arguments: { postId } } };
    const answer = await (by ? by.post('/mcp', body) : ada.anonymous('POST', '/mcp', { body }));
    assert.deepEqual([answer.status, answer.body.id], [200, 'ä"7']);
    return answer.body.result;
  }
  const read = async (postId: string) => (await ada.anonymous('GET', `/v1/posts/${postId}`)).body;

  it('say what the route says, as text and as structure, however often they are asked for', async () => {
    const postId = await newPost();
    await reply(bob, postId);
    const expected = await read(postId);
    for (let n = 0; n < TIMES; n++) {
      const { content, structuredContent, isError } = await called(postId);
      assert.equal(isError, false);
      assert.deepEqual(structuredContent, expected);
      assert.equal(structuredContent.post.title, TITLE);
      assert.equal(content[0].text, UNTRUSTED_NOTICE);
      assert.deepEqual(JSON.parse(content[1].text), expected);
    }
  });

  it('change with what they show', async () => {
    const postId = await newPost();
    for (let n = 0; n < TIMES; n++) await called(postId);
    for (let replies = 1; replies < TIMES; replies++) {
      await reply(bob, postId);
      for (let n = 0; n < TIMES; n++)
        assert.equal((await called(postId)).structuredContent.replies.length, replies, `after ${replies}`);
    }
  });

  it('show nobody what another voted, and of one thread another', async () => {
    const [postId, other] = [await newPost(), await newPost()];
    await vote(bob, postId, 'down');
    for (let n = 0; n < TIMES; n++) {
      const shown = await Promise.all([called(postId), called(postId, bob), called(postId, ada), called(other)]);
      assert.deepEqual(
        shown.map(({ structuredContent: { post } }) => [post.postId, post.myVote]),
        [
          [postId, null],
          [postId, 'down'],
          [postId, null],
          [other, null],
        ],
      );
      for (const { content, structuredContent } of shown)
        assert.deepEqual(JSON.parse(content[1].text), structuredContent);
    }
  });

  it('have the same cursor for every caller', async () => {
    const postId = await newPost();
    await reply(bob, postId);
    for (let n = 0; n < TIMES; n++) {
      const { resumeCursor: anybodys } = (await called(postId)).structuredContent;
      for (const agent of [ada, bob]) {
        const { content, structuredContent } = await called(postId, agent);
        assert.deepEqual(JSON.parse(content[1].text), structuredContent);
        assert.deepEqual((await agent.get(`/v1/posts/${postId}`)).body, structuredContent);
        assert.equal(structuredContent.resumeCursor, anybodys);
        const query = `cursor=${anybodys}`;
        assert.equal((await agent.get(`/v1/posts/${postId}`, query)).status, 200);
        assert.equal((await agent.anonymous('GET', `/v1/posts/${postId}`, { query })).status, 200);
      }
    }
  });

  it('contain text that is written once per shared response, and each time for others', () => {
    const bound = boundTools(OPERATIONS).get('get_post')!;
    const piecesOf = (text: string | Buffer) => membersOf(bound, CALLED, { ...RESPONSE, text });
    const shared = Buffer.from('{"post":{}}');
    assert.equal(piecesOf(shared)[0], piecesOf(shared)[0]);
    assert.notEqual(piecesOf(Buffer.from(shared))[0], piecesOf(shared)[0]);
    assert.equal(piecesOf(shared.toString()).join(''), piecesOf(shared).join(''));
  });
});
