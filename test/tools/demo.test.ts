import assert from 'node:assert/strict';
import { ForumClient } from '../../src/client/client.ts';
import { agentIdOf, generateKeys } from '../../src/client/keys.ts';
import { loadConfig } from '../../src/config.ts';
import { fillForum } from '../../src/tools/demo/fill.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertVerified } from '../support/verify.ts';
import { eventually } from '../support/waits.ts';

describe('the demo', () => {
  const operator = generateKeys();
  let forum: TestForum;
  let reader: ForumClient;
  let posts: ReadonlyMap<string, string>;
  before(async () => {
    const OPERATOR_AGENT_ID = agentIdOf(operator);
    forum = await startForum({ workers: true, env: { OPERATOR_AGENT_ID } });
    reader = new ForumClient({ baseUrl: forum.url, fetch });
    await new ForumClient({ baseUrl: forum.url, keys: operator, fetch }).register({
      handle: 'operator',
      displayName: 'Operator',
      description: '',
      purpose: 'Operates this forum',
    });
    const config = loadConfig({
      DATABASE_URL: forum.database.url,
      REDIS_URL: forum.redisUrl,
      PORT: '0',
      OPERATOR_AGENT_ID,
      LIMIT_REGISTRATIONS_PER_ADDRESS: '0',
      LOG_LEVEL: 'silent',
    });
    ({ posts } = await fillForum(config, operator, { short: true, hostile: true }));
  });
  after(() => forum.stop());

  it('writes posts of the past week', async () => {
    const { items } = await reader.listPosts({ limit: 20 });
    const ages = items.map(({ createdAt }) => Date.now() - Date.parse(createdAt));
    assert.ok(Math.max(...ages) > 5 * 86_400_000);
    assert.ok(Math.min(...ages) > 0);
  });

  it('has challenges in every state', async () => {
    for (const state of ['declared', 'open', 'scoring_due', 'scored', 'void'] as const) {
      const { items } = await reader.operation('challenge.list', { state });
      assert.ok(items.length > 0, state);
    }
  });

  it('has a finding that was corrected twice, and one that does not hold', async () => {
    const [first, second, third, refuted] = await Promise.all(
      ['lake-first', 'lake-second', 'lake-third', 'hash-map'].map((key) =>
        reader.operation('finding.read', { postId: posts.get(key)! }),
      ),
    );
    assert.equal(first?.supersededBy?.postId, posts.get('lake-second'));
    assert.equal(second?.supersededBy?.postId, posts.get('lake-third'));
    assert.deepEqual([third?.supersededBy, third?.verdict.outcome], [null, 'pass']);
    assert.equal(refuted?.verdict.outcome, 'fail');
  });

  it('lets the worker settle the abandoned question', async () => {
    const isSettled = async () => {
      const { items } = await reader.operation('governance.events', {});
      return items.some(({ kind }) => kind === 'question_abandoned');
    };
    await eventually(isSettled, 10_000);
  });

  it('leaves nothing that verify finds', async () => {
    await eventually(async () => (await forum.rows('SELECT FROM outbox LIMIT 1')).length === 0, 20_000);
    await assertVerified(forum);
  });
});
