import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpus, loadavg } from 'node:os';
import { TestAgent } from '../support/agent.ts';
import { scaleWait } from '../support/waits.ts';
import { audit } from './support/audit.ts';
import { HostsStage } from './support/stage.ts';

/** HOT_AGENTS=1000 HOT_WRITES=5000 on a machine without other work. */
const AGENTS = Number(process.env.HOT_AGENTS ?? 100);
const WRITES = Number(process.env.HOT_WRITES ?? 400);
const WRITES_A_SECOND = 500;
/** The longest wait of an agent with retries, for every hundred writes to the same target. */
const MOST_MS_A_HUNDRED = 10_000;

/** All agents write to the same target at once. Rejected writes succeed after `Retry-After`, and all are counted. */
describe('what everybody wants at once', function () {
  this.timeout(300_000);
  let stage: HostsStage;
  let crowd: TestAgent[];
  let slug: string;
  let postId: string;
  before(async () => {
    stage = await HostsStage.open();
    stage.caller.expectsUnavailable = true;
    crowd = Array.from({ length: AGENTS }, () => new TestAgent(''));
    for (let start = 0; start < AGENTS; start += 20) {
      const some = crowd.slice(start, start + 20);
      await Promise.all(some.map((agent) => stage.caller.register(agent, `a-${randomBytes(6).toString('hex')}`)));
    }
    slug = `c-${randomBytes(6).toString('hex')}`;
    const community = { slug, displayName: 'C', description: '', visibility: 'public' };
    assert.ok(await stage.caller.write(crowd[0]!, '/v1/communities', community, [201]));
    const post = await stage.caller.write(crowd[0]!, '/v1/posts', { title: 'Hot', body: 'b' }, [201]);
    postId = post!.body.post.postId;
  });
  after(() => stage?.close());

  /** Sends all writes at once. Prints the longest time of one write including its retries. */
  async function all(what: string, count: number, write: (by: TestAgent, number: number) => Promise<unknown>) {
    stage.caller.takeTally();
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: count }, (_, number) => write(crowd[number % AGENTS]!, number)));
    const seconds = (performance.now() - startedAt) / 1_000;
    const { unavailable, foundUndone, slowestMs } = stage.caller.takeTally();
    console.log(
      `      ${count} ${what} in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)}/s; refused with Retry-After ${unavailable.POST} times, given up ${foundUndone}; the slowest ${Math.round(slowestMs)} ms; load ${loadavg()[0]!.toFixed(0)} on ${cpus().length} cores`,
    );
    assert.deepEqual(stage.caller.problems.splice(0), []);
    assert.ok(slowestMs < scaleWait((count * MOST_MS_A_HUNDRED) / 100), `${slowestMs} ms`);
  }

  const rows = async (text: string, values: unknown[]) => (await stage.pool.query(text, values)).rows;

  it('one community, joined', async () => {
    const path = `/v1/communities/${slug}/members`;
    await all('joins', AGENTS - 1, (_, number) => stage.caller.write(crowd[number + 1]!, path, {}, [201]));
    const [{ count }] = await rows('SELECT count(*)::integer FROM memberships WHERE slug = $1', [slug]);
    assert.equal(count, AGENTS);
  });

  it('one post, voted on', async () => {
    // Up, down and up again. Only the agent with the last vote knows the result.
    const value = (number: number) => (Math.floor(number / AGENTS) % 2 === 0 ? 'up' : 'down');
    await all('votes', WRITES, (by, number) =>
      stage.caller.write(by, '/v1/votes', { targetId: postId, value: value(number) }, [200]),
    );
    const [state] = await rows('SELECT upvotes + downvotes AS votes FROM post_states WHERE post_id = $1', [postId]);
    assert.equal(state.votes, AGENTS);
  });

  it('one post, replied to', async () => {
    await all('replies', WRITES, (by) =>
      stage.caller.write(by, `/v1/posts/${postId}/replies`, { body: 'me too' }, [201]),
    );
    const [state] = await rows('SELECT reply_count FROM post_states WHERE post_id = $1', [postId]);
    assert.equal(Number(state.reply_count), WRITES);
  });

  it(`notifies of replies at ${WRITES_A_SECOND} per second`, async () => {
    const posts: string[] = [];
    for (const by of crowd.slice(0, 20)) {
      const post = await stage.caller.write(by, '/v1/posts', { title: 'Cool', body: 'b' }, [201]);
      posts.push(post!.body.post.postId);
    }
    await stage.settle();
    const [{ now }] = await rows('SELECT clock_timestamp() AS now', []);
    const startedAt = performance.now();
    await all('replies to 20 posts', WRITES, async (by, number) => {
      const dueMs = (number * 1_000) / WRITES_A_SECOND - (performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, dueMs));
      await stage.caller.write(by, `/v1/posts/${posts[number % posts.length]}/replies`, { body: 'so' }, [201]);
    });
    await stage.settle();
    const [told] = await rows(
      `SELECT count(*), percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY extract(epoch FROM at - happened_at) * 1000) AS ms
       FROM inbox_entries WHERE type = 'reply' AND happened_at > $1`,
      [now],
    );
    const [median, p99] = told.ms as [number, number];
    console.log(`      ${told.count} pointers, ${Math.round(median)} ms (median), ${Math.round(p99)} ms (p99)`);
  });

  it('lost and doubled nothing', async () => {
    await stage.settle();
    await audit(stage);
  });
});
