import assert from 'node:assert/strict';
import { verifyCounts } from '../../src/features/overview/verify.ts';
import { CREATE_POST } from '../../src/features/posts/store.ts';
import { sqlState } from '../../src/platform/postgres/postgres.ts';
import { idFloor, newId } from '../../src/protocol/ids.ts';
import type { NewEvent } from '../../src/recording/events.ts';
import { emptyRedis } from '../contract/support/redis.ts';
import { freshNonce } from '../contract/support/signing.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';
import { hex, recordOfPost } from '../support/writeRecord.ts';

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 86_400_000;
/** More than one batch. */
const WRITES = 24;
/**
 * What there is of a post beside who wrote it under which identifiers: whole rows, so that a column that comes is
 * compared too.
 */
const TRACES = `
  SELECT to_jsonb(p) - '{post_id,author_id}'::text[] AS post,
         to_jsonb(s) - '{post_id,version,public_author_id}'::text[] AS state, s.public_author_id = p.author_id AS public,
         to_jsonb(w) - 'post_id' AS waiting, to_jsonb(r) - '{agent_id,nonce}'::text[] AS receipt,
         to_jsonb(e) - '{evidence_id,agent_id}'::text[] AS evidence, to_jsonb(l) - 'pending_id' AS pending, o.events
  FROM posts p JOIN post_states s USING (post_id) LEFT JOIN search_waiting w USING (post_id)
  JOIN write_receipts r ON r.agent_id = p.author_id AND r.operation = 'post.create'
  JOIN write_evidence e ON e.agent_id = p.author_id AND e.operation = 'post.create'
  JOIN log_pending l ON l.pending_id = e.evidence_id
  CROSS JOIN LATERAL (
    SELECT jsonb_agg(to_jsonb(o) - '{outbox_id,subject}'::text[] ORDER BY outbox_id) AS events
    FROM outbox o WHERE subject = p.post_id) o
  WHERE p.author_id = ANY ($1) ORDER BY p.title`;
/** What is counted in all. */
const COUNTS = `SELECT sum(posts)::integer AS posts, sum(posts_written)::integer AS written, sum(version)::integer AS version,
                       (SELECT sum(posts)::integer FROM author_counts) AS authored FROM scope_slots`;

describe('writes in a batch', function () {
  this.timeout(60_000);
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '4' } });
  });
  after(() => forum.stop());

  const agents = (count: number) => Promise.all(Array.from({ length: count }, () => forum.agent()));

  it('leave of each what it would leave by itself, and count the same', async () => {
    const [one, other, named] = await Promise.all([agents(5), agents(5), forum.agent()]);
    const now = Date.now();
    const posts = [0, 0, 3 * MINUTE_MS, 3 * MINUTE_MS, 1_000].map(
      (ago, n): TestPost => ({ at: now - ago, title: `Post ${n}`, salt: hex(16), commitment: hex(32) }),
    );
    const mentions = [[], [named.agentId], [], [named.agentId, forum.operator.agentId], []];
    const written = (agent: TestAgent, n: number) => {
      const key = n === 4 ? { key_epoch: 1, later_key: `later key of ${agent.agentId}` } : {};
      return recordOf(agent, posts[n]!, { mentions: mentions[n]!, ...key });
    };
    for (const agent of [one[4]!, other[4]!]) await hasKeyOfEpoch(agent, 1, `later key of ${agent.agentId}`);
    const before = await counts();
    for (const [n, agent] of one.entries()) await send(written(agent, n));
    const between = await counts();
    const answers = await Promise.all(other.map((agent, n) => send(written(agent, n))));
    const after = await counts();
    assert.deepEqual(answers, Array(5).fill({ answer: null, extra: null }));
    assert.equal(await transactionsOf(other), 1);
    const ofThose = (those: TestAgent[]) => forum.rows(TRACES, [those.map(({ agentId }) => agentId)]);
    const [traces, expected] = await Promise.all([ofThose(other), ofThose(one)]);
    assert.equal(traces.length, 5);
    assert.deepEqual(traces, expected);
    assert.deepEqual(difference(after, between), difference(between, before));
    await requireTrueCounts();
  });

  it('return what each write alone would, and a refused write stores nothing', async () => {
    const [[suspended, frozen, spent, mistaken], writers] = await Promise.all([agents(4), agents(WRITES)]);
    await forum.operator.post('/v1/governance/enforcement', {
      action: 'suspend_agent',
      targetType: 'agent',
      targetId: suspended!.agentId,
      reason: 'A test',
    });
    const signature = frozen!.sign(`svc-freeze-v1\n${frozen!.agentId}`);
    await frozen!.anonymous('POST', `/v1/agents/${frozen!.agentId}/freeze`, { body: { signature } });
    for (let n = 0; n < 4; n++) await spent!.post('/v1/posts', { title: 'Spent', body: 'b' });
    const nonce = freshNonce();
    const first = await mistaken!.signed('POST', '/v1/posts', { body: { title: 'First', body: 'b' }, nonce });
    assert.equal(first.status, 201);
    // Nonces are known to the database alone, and counters are loaded again.
    await emptyRedis(forum.redisUrl);
    const post = (agent: TestAgent, options = {}) =>
      agent.signed('POST', '/v1/posts', { body: { title: 'In a batch', body: 'b' }, ...options });
    const outcomes = await Promise.all(
      [suspended, frozen, spent]
        .flatMap((agent) => [post(agent!), post(agent!)])
        .concat(
          [post(mistaken!, { nonce }), post(mistaken!, { nonce })],
          writers.flatMap((agent) => [post(agent), post(agent)]),
        ),
    );
    const statuses = outcomes.map(({ status }) => status);
    assert.deepEqual(statuses.slice(0, 8), [403, 403, 403, 403, 429, 429, 401, 401]);
    assert.deepEqual(statuses.slice(8), Array(2 * WRITES).fill(201));
    const refused = [suspended, frozen].map((agent) => agent!.agentId);
    for (const table of ['write_receipts', 'write_evidence'])
      assert.deepEqual(
        await forum.rows(`SELECT FROM ${table} WHERE agent_id = ANY ($1) AND operation = 'post.create'`, [refused]),
        [],
        table,
      );
    assert.deepEqual(
      await forum.rows(
        'SELECT author_id, count(*)::integer AS posts FROM posts WHERE author_id = ANY ($1) GROUP BY 1',
        [[...refused, mistaken!.agentId]],
      ),
      [{ author_id: mistaken!.agentId, posts: 1 }],
    );
    assert.ok((await transactionsOf(writers)) < 2 * WRITES, 'each was written by itself');
    await requireTrueCounts();
  });

  it('report to each author its own earlier post with the same title and body', async () => {
    const writers = await agents(5);
    const at = Date.now();
    const earlier = writers.slice(0, 3).map((agent, n) => recordOf(agent, { at: at - 1_000, title: `Repeated ${n}` }));
    for (const record of earlier) await send(record);
    const answers = await Promise.all(
      writers.map((agent, n) =>
        // The third has another title now; the last two have written nothing before.
        send(recordOf(agent, { at, title: `Repeated ${n % 2}` })),
      ),
    );
    assert.equal(await transactionsOf(writers), 1 + earlier.length);
    const postIds = await forum.rows<{ author_id: string; post_id: string }>(
      'SELECT author_id, min(post_id) AS post_id FROM posts WHERE author_id = ANY ($1) GROUP BY 1',
      [writers.map(({ agentId }) => agentId)],
    );
    const firstOf = ({ agentId }: TestAgent) => postIds.find(({ author_id }) => author_id === agentId)!.post_id;
    assert.deepEqual(
      answers.map(({ extra }) => extra),
      [{ postId: firstOf(writers[0]!) }, { postId: firstOf(writers[1]!) }, null, null, null],
    );
  });

  it('are each sent by itself where one of them breaks the statement', async () => {
    const writers = await agents(5);
    const all = writers.map((agent, n) => recordOf(agent, { at: Date.now(), title: `Broken ${n}` }));
    const broken = recordOf(writers[2]!, { at: Date.now(), title: 'Broken' }, { signature: null });
    const outcomes = await Promise.allSettled(all.map((record, n) => send(n === 2 ? broken : record)));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    assert.equal(sqlState((outcomes[2] as PromiseRejectedResult).reason), '23502');
    assert.equal(await transactionsOf(writers), 4);
    await requireTrueCounts();
  });

  it('leave to each what it alone is refused for', async () => {
    const [twice, rotated, replaced, outdated, late, spent, ...writers] = await agents(8);
    for (const agent of [rotated!, replaced!]) await hasKeyOfEpoch(agent, 1, `later key of ${agent.agentId}`);
    const at = Date.now();
    const write = (agent: TestAgent, change: Change = {}) => send(recordOf(agent, { at, title: 'In a batch' }, change));
    const nonce = freshNonce();
    const outcomes = await Promise.allSettled([
      write(twice!, { nonce }),
      write(twice!, { nonce }),
      write(rotated!),
      write(replaced!, { key_epoch: 1, later_key: 'another key of that number' }),
      write(outdated!, { fence: 1 }),
      write(late!, { deadline: new Date(at - 1).toISOString() }),
      write(spent!, { reserved: false }),
      ...writers.map((agent) => write(agent)),
    ]);
    const became = outcomes.map((each) => (each.status === 'fulfilled' ? 'written' : sqlState(each.reason)));
    assert.deepEqual(became.slice(0, 2).sort(), ['AF401', 'written']);
    assert.deepEqual(became.slice(2), ['AF401', 'AF401', 'AFFEN', 'AF503', 'AF429', 'written', 'written']);
    assert.equal(await transactionsOf([twice!, ...writers]), 3);
    await requireTrueCounts();
  });

  it('are written by themselves where they are long', async () => {
    const writers = await agents(6);
    const body = '"'.repeat(10_000);
    const outcomes = await Promise.all(
      writers.map((agent, n) => agent.post('/v1/posts', { title: 'Long', body: n < 3 ? body : 'b' })),
    );
    assert.deepEqual(
      outcomes.map(({ body: { post } }) => post.body.length),
      [10_000, 10_000, 10_000, 1, 1, 1],
    );
    assert.equal(await transactionsOf(writers.slice(0, 3)), 3);
    await requireTrueCounts();
  });

  it('are not written past their deadline, however long they take', async () => {
    await forum.rows(`CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$`);
    await forum.rows(
      `CREATE TRIGGER stall BEFORE INSERT ON posts FOR EACH ROW WHEN (NEW.title = 'Stalled') EXECUTE FUNCTION stall()`,
    );
    const writers = await agents(2);
    const at = Date.now();
    const deadline = new Date(at + 300).toISOString();
    const outcomes = await Promise.allSettled(
      writers.map((agent) => send(recordOf(agent, { at, title: 'Stalled' }, { deadline }))),
    );
    assert.deepEqual(
      outcomes.map((each) => each.status === 'rejected' && sqlState(each.reason)),
      ['AF503', 'AF503'],
    );
    await forum.rows('DROP FUNCTION stall() CASCADE');
  });

  it('are stored before a concurrent suspension or fence, as single writes are', async () => {
    await forum.rows(`CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$`);
    await forum.rows(
      `CREATE TRIGGER stall BEFORE INSERT ON posts FOR EACH ROW WHEN (NEW.title = 'Held') EXECUTE FUNCTION stall()`,
    );
    const writers = await agents(2);
    const authors = writers.map(({ agentId }) => agentId);
    const at = Date.now();
    const written = Promise.all(writers.map((agent) => send(recordOf(agent, { at, title: 'Held' }))));
    await eventually(
      async () =>
        (await forum.rows(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`))
          .length === 1,
    );
    await forum.rows('UPDATE agent_states SET fence = fence + 1 WHERE agent_id = ANY ($1)', [authors]);
    assert.equal((await forum.rows('SELECT FROM posts WHERE author_id = ANY ($1)', [authors])).length, 2);
    await written;
    assert.equal(await transactionsOf(writers), 1);
    await forum.rows('DROP FUNCTION stall() CASCADE');
  });

  it('do not wait for locks of others', async () => {
    const [held, ...writers] = await agents(6);
    const post = (agent: TestAgent) => agent.post('/v1/posts', { title: 'Beside a lock', body: 'b' });
    const holder = await forum.database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM agent_states WHERE agent_id = $1 FOR UPDATE', [held!.agentId]);
      let isWritten = false;
      const last = post(held!).finally(() => (isWritten = true));
      const others = await Promise.all([...writers, ...writers].map(post));
      assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([201]));
      assert.ok(!isWritten);
      await holder.query('COMMIT');
      assert.equal((await last).status, 201);
    } finally {
      holder.release();
    }
  });

  const send = (record: string) => {
    const { agent_id } = JSON.parse(record) as { agent_id: string };
    return forum.api.services.db.write(CREATE_POST.statement, record, agent_id);
  };

  const requireTrueCounts = async () =>
    assert.deepEqual(await forum.api.services.db.inTransaction(verifyCounts, { snapshot: true }), []);

  /** In how many transactions their posts came to be. */
  async function transactionsOf(those: readonly TestAgent[]): Promise<number> {
    const [row] = await forum.rows<{ transactions: number }>(
      'SELECT count(DISTINCT xmin::text)::integer AS transactions FROM posts WHERE author_id = ANY ($1)',
      [those.map(({ agentId }) => agentId)],
    );
    return row!.transactions;
  }

  async function counts(): Promise<Record<string, number>> {
    return (await forum.rows<Record<string, number>>(COUNTS))[0]!;
  }

  async function hasKeyOfEpoch({ agentId }: TestAgent, epoch: number, key: string): Promise<void> {
    await forum.rows('UPDATE agent_states SET key_epoch = $2 WHERE agent_id = $1', [agentId, epoch]);
    await forum.rows(
      `INSERT INTO agent_keys (agent_id, key_epoch, public_key, since, change_number)
       SELECT $1, $2, $3, now(), 1 + coalesce(max(change_number), 0) FROM agent_keys`,
      [agentId, epoch, key],
    );
  }
});

const difference = (after: Record<string, number>, before: Record<string, number>) =>
  Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));

interface TestPost {
  readonly at: number;
  readonly title: string;
  readonly salt?: string;
  readonly commitment?: string;
}
type Change = Readonly<Record<string, unknown>> & { readonly mentions?: readonly string[] };

/** A post on the timeline, as the pipeline sends it. */
function recordOf(
  { agentId }: TestAgent,
  { at, title, salt = hex(16), commitment = hex(32) }: TestPost,
  { mentions = [], ...change }: Change = {},
): string {
  const time = new Date(at).toISOString();
  const postId = newId('p_', at);
  const events: NewEvent[] = [
    { kind: 'post.created', subject: postId, place: { communitySlug: null, encrypted: false } },
    ...mentions.map((recipient): NewEvent => ({ kind: 'agent.mentioned', subject: postId, recipient })),
  ];
  const values = {
    post_id: postId,
    author_id: agentId,
    post_type: 'post',
    hidden: false,
    title,
    body: 'NULL, {} and "quotes"\n\\',
    at: time,
    repeated_since: idFloor('p_', at - WEEK_MS),
  };
  return recordOfPost(agentId, values, events, {
    signed_at: time,
    accepted_at: time,
    facts: '{"with":"\\"quotes\\", \\\\ and {braces}"}',
    salt,
    signed_text: `svc-request-v1\nPOST "${title}", {}`,
    signature: 'signature',
    body: '{"title": "\\u00e4\\\\", "n": 1}\n',
    commitment,
    request_id: title,
    ...change,
  });
}
