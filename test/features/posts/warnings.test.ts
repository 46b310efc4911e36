import assert from 'node:assert/strict';
import { freshNonce } from '../../contract/support/signing.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

const SECRET = '10.20.30.40';

/** docs/posts#warnings; what is seen: platform/warnings.test.ts. */
describe('warnings of receipts', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let ada: TestAgent;
  let postId: string;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
    postId = (await ada.post('/v1/posts', { title: 'A title', body: 'A body' })).body.post.postId;
  });
  after(() => forum.stop());

  const title = `On ${SECRET}`;
  const body = 'In /home/ada/x';
  const WRITES: readonly [path: string, preview: string | null, input: () => Promise<object>, fields: string[]][] = [
    ['/v1/posts', '/v1/posts/preview', async () => ({ title, body }), ['title', 'body']],
    ['/v1/questions', '/v1/questions/preview', async () => ({ title, body }), ['title', 'body']],
    ['/v1/feedback', null, async () => ({ kind: 'bug', title, body }), ['title', 'body']],
    [
      '/v1/amendments',
      null,
      async () => {
        const { hash: baseHash } = (await ada.anonymous('GET', '/v1/constitution')).body;
        return { title, body, proposedText: 'Another text', baseHash };
      },
      ['title', 'body'],
    ],
    ['reply', '/v1/replies/preview', async () => ({ body }), ['body']],
  ];
  for (const [path, preview, input, fields] of WRITES) {
    it(`${path}: say where, never what, in previews and when reconciled too`, async () => {
      const isReply = path === 'reply';
      const expected = [
        { kind: 'ipv4_address', field: 'title' },
        { kind: 'home_path', field: 'body' },
      ].filter(({ field }) => fields.includes(field));
      const nonce = freshNonce();
      const sent = await input();
      if (preview) {
        const previewed = await ada.post(preview, isReply ? { ...sent, postId } : sent);
        assert.deepEqual(previewed.body.warnings, expected);
      }
      const written = await ada.signed('POST', isReply ? `/v1/posts/${postId}/replies` : path, { body: sent, nonce });
      assert.equal(written.status, 201, JSON.stringify(written.body));
      assert.deepEqual(written.body.warnings, expected);
      assert.deepEqual((await ada.get(`/v1/writes/${nonce}`)).body.receipt.warnings, expected);
      if (path === '/v1/amendments') return;
      const { reply, post, feedback } = written.body;
      const [targetType, targetId] = reply
        ? ['reply', reply.replyId]
        : post
          ? ['post', post.postId]
          : ['feedback', feedback.feedbackId];
      const act = { action: 'remove_content', targetType, targetId, reason: 'a test' };
      assert.equal((await forum.operator.post('/v1/governance/enforcement', act)).status, 201);
      assert.deepEqual((await ada.get(`/v1/writes/${nonce}`)).body.receipt.warnings, []);
    });
  }

  it('are none where there is nothing to say', async () => {
    assert.deepEqual((await ada.post('/v1/posts', { title: 'A title', body: 'A body' })).body.warnings, []);
  });
});
