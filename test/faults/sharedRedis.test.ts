import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import { deploymentId } from '../../src/platform/postgres/settings.ts';
import type { TestAgent } from '../support/agent.ts';
import { redisForTest } from '../support/database.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';

const REPLIES = 60;
/** Shorter than the lease of a batch that another worker had taken. */
const LATE_MS = 3_000;

interface Side {
  readonly forum: TestForum;
  readonly author: TestAgent;
  readonly replier: TestAgent;
  /** Replies in the order in which they were accepted. */
  readonly replies: { readonly replyId: string; readonly createdAt: string }[];
}

/** docs/operations#sharing-a-redis: deployments may share a Redis. */
describe('two deployments on one Redis', () => {
  let redis: Redis;
  let sides: Side[];
  before(async function () {
    this.timeout(30_000);
    const { url } = await redisForTest();
    redis = new Redis(url);
    const start = async (): Promise<Side> => {
      const forum = await startForum({ workers: true, env: { REDIS_URL: url, LIMIT_REPLIES: '1000' } });
      return { forum, author: await forum.agent(), replier: await forum.agent(), replies: [] };
    };
    sides = [await start(), await start()];
  });
  after(async () => {
    for (const { forum } of sides) await forum.stop();
    redis.disconnect();
  });

  async function reply({ author, replier, replies }: Side): Promise<void> {
    const { postId } = (await author.post('/v1/posts', { title: 'Title', body: 'Body' })).body.post;
    for (let n = 0; n < REPLIES; n++) {
      const { body } = await replier.post(`/v1/posts/${postId}/replies`, { body: 'Reply' });
      replies.push(body.reply);
      await sleep(10);
    }
  }

  async function told({ author }: Side): Promise<{ replyId: string; timestamp: string }[]> {
    const items = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query: string = `type=reply&limit=20${cursor && `&cursor=${cursor}`}`;
      const { body } = await author.get('/v1/inbox', query);
      items.push(...body.items);
      cursor = body.nextCursor;
    }
    return items;
  }

  it('deliver each its own events, in time, in order, and with their times', async function () {
    this.timeout(40_000);
    await Promise.all(sides.map(reply));
    for (const side of sides) {
      await eventually(async () => (await told(side)).length === REPLIES, LATE_MS);
      assert.deepEqual(
        (await told(side)).map(({ replyId, timestamp }) => ({ replyId, createdAt: timestamp })),
        side.replies.map(({ replyId, createdAt }) => ({ replyId, createdAt })),
      );
    }
  });

  it('name every key after themselves', async () => {
    const ids = await Promise.all(sides.map(({ forum }) => deploymentId(forum.api.services.db)));
    assert.notEqual(ids[0], ids[1]);
    const keys = await redis.keys('*');
    assert.ok(keys.length > 20);
    assert.deepEqual(
      keys.filter((key) => !ids.some((id) => key.startsWith(`forum:${id}:{`) || key.startsWith(`{forum-${id}}:`))),
      [],
    );
  });
});
