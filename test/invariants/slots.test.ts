import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { verifyCounts } from '../../src/features/overview/verify.ts';
import { inRelease, RELEASE } from '../../src/platform/postgres/release.ts';
import { EVENTS } from '../../src/recording/events.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { heldBack } from '../support/heldBack.ts';

const WRITERS = 24;
const EVENTS_EACH = 30;
const SCOPES = ['', 'here', 'there'];
const MINUTE_MS = 60_000;
/** Pages that a sum or an event may read: the versions of one counter shard, and the index above them. */
const MAX_PAGES = 150;

const UNLIMITED = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0';

/** What of the outbox, where nobody takes anything out, should be counted of the last day. */
const DAYS = `
  SELECT s.scope, m.minute, d.*, e.* FROM unnest($1::text[]) s (scope) CROSS JOIN unnest($2::bigint[]) m (minute)
  CROSS JOIN LATERAL release.sums_since(s.scope, m.minute) d
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(c.value) FILTER (WHERE c.noun = 'agent'), 0)::bigint AS expected_agents,
           coalesce(sum(c.value) FILTER (WHERE c.noun = 'post'), 0)::bigint AS expected_posts,
           coalesce(sum(c.value) FILTER (WHERE c.noun = 'reply'), 0)::bigint AS expected_replies,
           coalesce(sum(c.value) FILTER (WHERE c.noun = 'vote'), 0)::bigint AS expected_votes
    FROM outbox o LEFT JOIN event_times t ON t.outbox_id = o.outbox_id
    JOIN unnest($3::text[], $4::text[], $5::integer[]) c (kind, noun, value) ON c.kind = o.kind
    WHERE CASE s.scope WHEN '' THEN NOT o.hidden ELSE o.community_slug = s.scope END
      AND release.minute_of(coalesce(t.written_at, o.occurred_at)) > m.minute) e`;
const SUMS = `
  SELECT s.scope, n.version, n.agents, n.members, n.posts, n.replies, n.open_questions AS questions, e.*
  FROM unnest($1::text[]) s (scope) CROSS JOIN LATERAL release.scope_sums(s.scope) n
  CROSS JOIN LATERAL (
    SELECT count(*) AS expected_version, count(*) FILTER (WHERE kind = 'agent.registered') AS expected_agents,
           count(*) FILTER (WHERE kind = 'community.joined') - count(*) FILTER (WHERE kind = 'community.left')
             AS expected_members,
           count(*) FILTER (WHERE kind IN ('post.created', 'post.restored')) - count(*) FILTER (WHERE kind = 'post.removed')
             AS expected_posts,
           count(*) FILTER (WHERE kind IN ('reply.created', 'reply.restored')) - count(*) FILTER (WHERE kind = 'reply.removed')
             AS expected_replies,
           count(*) FILTER (WHERE kind = 'question.asked') - count(*) FILTER (WHERE kind = 'question.resolved')
             AS expected_questions
    FROM outbox o WHERE CASE s.scope WHEN '' THEN NOT o.hidden ELSE o.community_slug = s.scope END) e`;
/** Inserts 500 replies of the last three days, most of them of the last hour, and their events. */
const REPLIES = `
  WITH written AS (
    INSERT INTO replies (reply_id, post_id, author_id, body, reply_number, created_at)
    SELECT $1 || lpad(n::text, 5, '0'), $1, $2, 'b', n, now() - interval '3 days' * (n / 500.0) ^ 4
    FROM generate_series(1, 500) n RETURNING reply_id, created_at
  ), states AS (INSERT INTO reply_states (reply_id) SELECT reply_id FROM written)
  SELECT release.put_event('reply.created', reply_id, $3, false, created_at) FROM written ORDER BY created_at`;
/** The replies of a visible post that were written after a minute. */
const STANDING = `
  SELECT count(*) FILTER (WHERE NOT s.removed) AS replies FROM replies r JOIN post_states s ON s.post_id = r.post_id
  WHERE r.post_id = $1 AND release.minute_of(r.created_at) > $2`;
/** What the pulse counts of the last day (docs/agents#pulse). */
const COUNTED = [
  { kind: 'agent.registered', as: 'agent', by: 1 },
  { kind: 'post.created', as: 'post', by: 1 },
  { kind: 'post.removed', as: 'post', by: -1 },
  { kind: 'post.restored', as: 'post', by: 1 },
  { kind: 'reply.created', as: 'reply', by: 1 },
  { kind: 'reply.removed', as: 'reply', by: -1 },
  { kind: 'reply.restored', as: 'reply', by: 1 },
  { kind: 'vote.cast', as: 'vote', by: 1 },
];

/** Counts that are written with the event, where no worker runs. */
describe('counts in slots', function () {
  this.timeout(120_000);
  let forum: TestForum;
  beforeEach(async () => {
    forum = await startForum();
  });
  afterEach(() => forum.stop());

  const connect = async () => {
    const client = new pg.Client({ connectionString: forum.database.url, options: UNLIMITED });
    await client.connect();
    return client;
  };

  it('match the rows after concurrent writes, joins and removals', async () => {
    const agents = await Promise.all(Array.from({ length: 6 }, () => forum.agent()));
    const slugs = await Promise.all([0, 1].map(() => found(agents[0]!)));
    const write = (agent: TestAgent, n: number) =>
      agent.post(n % 2 === 0 ? '/v1/posts' : '/v1/questions', {
        title: 't',
        body: 'b',
        communitySlug: [null, ...slugs][n % 3],
      });
    await Promise.all(slugs.flatMap((slug) => agents.slice(1).map((agent) => join(agent, slug))));
    const written = await Promise.all(agents.flatMap((agent) => Array.from({ length: 6 }, (_, n) => write(agent, n))));
    const ids = written.map(({ body }) => (body.post?.postId ?? assert.fail(JSON.stringify(body))) as string);
    const other = (n: number) => agents[(n + 1) % agents.length]!;
    await Promise.all([
      ...ids.map((id, n) => other(n).post(`/v1/posts/${id}/replies`, { body: 'b' })),
      ...ids.map((id, n) => other(n).post('/v1/votes', { targetId: id, value: 1 })),
      ...ids.slice(0, 9).map((id) => enforce('remove_content', 'post', id)),
      ...Array.from({ length: 4 }, () => forum.agent()),
      ...agents.map(write),
    ]);
    await Promise.all([
      ...ids.slice(4, 12).map((id) => enforce('restore_content', 'post', id)),
      enforce('remove_content', 'community', slugs[1]!),
    ]);
    await requireTrue();
    const { body: pulse } = await forum.operator.anonymous('GET', '/v1/pulse');
    assert.equal(pulse.lastDay.agents, pulse.agents, 'all of it was written within the last day');
    assert.equal(pulse.lastDay.posts, pulse.posts);
    assert.equal(pulse.lastDay.replies, pulse.replies);
  });

  it('are those of the events, in whatever order and minute they come, and of no more than were kept', async () => {
    const now = Date.now();
    await forum.rows('CREATE TABLE event_times (outbox_id bigint PRIMARY KEY, written_at timestamptz NOT NULL)');
    await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        const client = await connect();
        for (let n = 0; n < EVENTS_EACH; n++) await client.query(randomTransaction(now));
        await client.end();
      }),
    );
    const minutes = Array.from({ length: 207 }, (_, n) => Math.floor(now / MINUTE_MS) - 1_440 + n * 7);
    const values = [COUNTED.map(({ kind }) => kind), COUNTED.map((rule) => rule.as), COUNTED.map(({ by }) => by)];
    for (const row of await forum.rows<Row>(DAYS, [SCOPES, minutes, ...values])) requireExpected(row);
    for (const row of await forum.rows<Row>(SUMS, [SCOPES])) requireExpected(row);
    const [kept] = await forum.rows<{ slots: number }>('SELECT count(*)::integer AS slots FROM scope_slots');
    assert.ok(kept!.slots > SCOPES.length, `${kept!.slots} slots: nobody wrote at once`);
    assert.deepEqual(
      await forum.rows('SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()'),
      [{ deadlocks: 0 }],
    );
  });

  it('wait for a slot where others add to all that there are', async () => {
    const all = `SELECT pg_advisory_xact_lock(hashtextextended('', slot)) FROM generate_series(0, 63) slot`;
    const write = () => forum.operator.post('/v1/posts', { title: 't', body: 'b' });
    const [written] = await heldBack(forum, { text: all, values: [] }, [write]);
    assert.equal(written!.status, 201);
    await requireTrue();
  });

  it('follow a whole thread that is removed or restored, with one event per minute of its replies', async () => {
    const slug = await found(forum.operator);
    const id = await longThread(slug);
    const now = Math.floor(Date.now() / MINUTE_MS);
    for (const action of ['remove_content', 'restore_content']) {
      assert.equal((await enforce(action, 'post', id)).status, 201);
      const kind = action === 'remove_content' ? 'reply.removed' : 'reply.restored';
      const told = await forum.rows<{ tellsOf: number }>(
        `SELECT count(*)::integer AS "tellsOf" FROM outbox WHERE kind = $1`,
        [kind],
      );
      assert.ok(told[0]!.tellsOf > 20 && told[0]!.tellsOf < 400, `${told[0]!.tellsOf} events`);
      for (const minute of [now - 1_440, now - 700, now - 100, now - 3]) {
        const [standing] = await forum.rows<Row>(inRelease(STANDING), [id, minute]);
        for (const scope of ['', slug]) {
          const [kept] = await forum.rows<Row>(inRelease('SELECT * FROM release.sums_since($1, $2)'), [scope, minute]);
          assert.equal(kept!.replies, standing!.replies, `${action}, ${scope}, ${now - minute} minutes`);
        }
      }
      await requireTrue();
    }
  });

  it('follow open questions that close with their community in one event', async () => {
    const slug = await found(forum.operator);
    const ask = () => forum.operator.post('/v1/questions', { title: 't', body: 'b', communitySlug: slug });
    await Promise.all([ask(), ask(), ask()]);
    assert.equal((await enforce('remove_content', 'community', slug)).status, 201);
    const told = await forum.rows(`SELECT count(*)::integer AS rows FROM outbox WHERE kind = 'question.resolved'`);
    assert.deepEqual(told, [{ rows: 1 }]);
    await requireTrue();
  });

  it('cost the same with 20,000 events waiting, and under an old snapshot', async () => {
    const holder = await connect();
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM outbox');
    const writer = await connect();
    await writer.query(`DO $$ BEGIN
      FOR n IN 1 .. 50 LOOP
        PERFORM ${RELEASE}.put_event('vote.cast', '', 'c-' || n, true, clock_timestamp());
      END LOOP;
      COMMIT;
      FOR n IN 1 .. 20000 LOOP
        PERFORM ${RELEASE}.put_event('vote.cast', '', NULL, false, clock_timestamp());
        COMMIT;
      END LOOP;
    END $$`);
    // As the server does by itself: from then on it takes a table for one of few rows on very many pages.
    await writer.query('VACUUM ANALYZE scope_slots');
    const called = ["scope_sums('')", 'public_sums()', 'recent_totals(now())'].map((sums) => () => sums);
    const event = (round: number) =>
      `put_event('vote.cast', '', NULL, false, clock_timestamp() + interval '${round} s')`;
    // In the second of the one before it, and in a later one.
    for (const call of [...called, () => event(0), (round: number) => event(10 + round)]) {
      let pages = Number.POSITIVE_INFINITY;
      // The first round looks up the catalog as well, and so may another.
      for (const round of [1, 2, 3]) {
        const explained = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM release.${call(round)}`;
        const { rows } = await writer.query(inRelease(explained));
        const { Plan: plan } = rows[0]['QUERY PLAN'][0];
        pages = Math.min(pages, plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
      }
      assert.ok(pages <= MAX_PAGES, `${pages} pages: ${call(2)}`);
    }
    await Promise.all([holder.end(), writer.end()]);
  });

  it('forget the minutes of before the last day, but for where it begins', async () => {
    const write = (minutesAgo: number) =>
      forum.rows(
        inRelease(`SELECT release.put_event('post.created', '', 'here', true, now() - make_interval(mins => $1))`),
        [minutesAgo],
      );
    for (const minutesAgo of [1_700, 1_600, 1_510, 1_450, 1_000, 10, 0]) await write(minutesAgo);
    const kept = await forum.rows<{ ago: number }>(
      `SELECT (release.minute_of(now()) - minute)::integer AS ago FROM slot_minutes WHERE scope = 'here' ORDER BY minute`,
    );
    assert.deepEqual(
      kept.map(({ ago }) => Math.round(ago / 10) * 10),
      [1_510, 1_450, 1_000, 10],
    );
  });

  async function longThread(slug: string): Promise<string> {
    const { body } = await forum.operator.post('/v1/posts', { title: 't', body: 'b', communitySlug: slug });
    await forum.rows(inRelease(REPLIES), [body.post.postId, forum.operator.agentId, slug]);
    return body.post.postId;
  }

  const enforce = (action: string, targetType: string, targetId: string) =>
    forum.operator.post('/v1/governance/enforcement', { action, targetType, targetId, reason: 'A test' });

  const join = (agent: TestAgent, slug: string) => agent.post(`/v1/communities/${slug}/members`, {});

  async function found(founder: TestAgent): Promise<string> {
    const slug = `c-${randomBytes(6).toString('hex')}`;
    await founder.post('/v1/communities', { slug, displayName: 'C', description: '', visibility: 'public' });
    return slug;
  }

  const requireTrue = async () =>
    assert.deepEqual(await forum.api.services.db.inTransaction(verifyCounts, { snapshot: true }), []);
});

type Row = Readonly<Record<string, string>>;

function requireExpected(row: Row): void {
  for (const [name, value] of Object.entries(row)) {
    if (name.startsWith('expected_')) assert.equal(row[name.slice('expected_'.length)], value, JSON.stringify(row));
  }
}

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)]!;

/** One to three events, some of another minute or of what was written before, and some taken back. */
function randomTransaction(now: number): string {
  const events = Array.from({ length: pick([1, 1, 2, 3]) }, () => randomEvent(now));
  return `BEGIN; ${events.join('; ')}; ${pick(['COMMIT', 'COMMIT', 'COMMIT', 'ROLLBACK'])}`;
}

function randomEvent(now: number): string {
  const kind = pick(Object.keys(EVENTS));
  const scope = pick(SCOPES);
  const ago = (minutes: number) => `'${new Date(now - minutes * MINUTE_MS).toISOString()}'`;
  const late = pick([0, 0, 0, 0, Math.random() * 3, -Math.random() * 3, Math.random() * 1_440]);
  const writtenAt = /removed|restored/.test(kind) ? ago(late + Math.random() * 2_000) : 'NULL';
  const event = `'${kind}', '', ${scope === '' ? 'NULL' : `'${scope}'`}, ${pick([true, false])}, ${ago(late)}`;
  const one = `SELECT release.put_event(${event}, p_written_at => ${writtenAt})`;
  if (writtenAt === 'NULL') return pick([randomEvents(event), inRelease(one)]);
  // The outbox does not say when it was written: noted for `DAYS`.
  return inRelease(`${one}; INSERT INTO event_times VALUES (lastval(), ${writtenAt})`);
}

/** Several events of a kind, counted at once as those of a batch are. */
function randomEvents(event: string): string {
  const count = pick([1, 2, 5]);
  return inRelease(`
    WITH put AS (INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
      SELECT e.* FROM generate_series(1, ${count}) CROSS JOIN (SELECT ${event}::timestamptz) e(kind, subject, slug, hidden, at))
    SELECT release.count_events(e.kind, e.slug, e.hidden, e.at, ${count}) FROM (SELECT ${event}::timestamptz) e(kind, subject, slug, hidden, at)`);
}
