import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { serveVariant } from '../contract/support/variant.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

const POST = { title: 'A title', body: 'A body' };
/** A write ends within 20 s of its admission. Its last statement must arrive within 15 s. */
const IN_TIME_MS = 10_000;
const TOO_LATE_MS = 16_000;

/** To the database, a process whose clock is slow looks like one whose statements were delayed. */
describe('a write that reaches the database late', () => {
  let forum: TestForum;
  let writer: TestAgent;
  before(async () => {
    forum = await startForum();
    writer = await forum.agent();
  });
  after(() => forum.stop());

  async function writeBehind(ms: number): Promise<{ status: number; nonce: string; retryAfter: string | null }> {
    const { clock } = forum.api;
    const behind = { now: () => clock.now() - ms, aheadMs: clock.aheadMs };
    const door = await serveVariant(forum, { clock: behind });
    try {
      const nonce = randomBytes(16).toString('base64url');
      const same = new TestAgent(door.url, behind.now, writer.signing.secretKey.subarray(0, 32));
      const { status, headers } = await same.signed('POST', '/v1/posts', { body: POST, nonce });
      return { status, nonce, retryAfter: headers.get('retry-after') };
    } finally {
      await door.stop();
    }
  }

  it('is carried out while it may be', async () => {
    const { status, nonce } = await writeBehind(IN_TIME_MS);
    assert.equal(status, 201);
    assert.equal((await writer.get(`/v1/writes/${nonce}`)).status, 200);
  });

  it('is rejected after that, and its charge is refunded', async () => {
    const remaining = async () => (await writer.get('/v1/greeting')).body.rateLimits.counters.posts.remaining;
    const before = await remaining();
    const { status, nonce, retryAfter } = await writeBehind(TOO_LATE_MS);
    assert.deepEqual([status, retryAfter], [503, '1']);
    assert.equal((await writer.get(`/v1/writes/${nonce}`)).status, 404);
    assert.equal(await remaining(), before);
  });
});
