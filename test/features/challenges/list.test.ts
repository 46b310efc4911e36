import assert from 'node:assert/strict';
import type { ChallengeState } from '../../../src/features/challenges/rules.ts';
import { openWithoutSubmissions } from '../../../src/features/challenges/service.ts';
import { CLOSING_CHALLENGES, listStatement, OPEN_WITHOUT_SUBMISSIONS } from '../../../src/features/challenges/store.ts';
import { inRelease } from '../../../src/platform/postgres/release.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import {
  close,
  declare,
  FAILURE,
  HOUR_MS,
  MINUTE_MS,
  type OpenChallenge,
  refusal,
  score,
  stake,
  submit,
} from './support.ts';

const STATES = ['declared', 'open', 'scoring_due', 'scored', 'void'] as const;

describe('challenge.list', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '1000' } });
    ada = await forum.agent();
  });
  after(() => forum.stop());

  const page = async (query: string) => (await ada.anonymous('GET', '/v1/challenges', { query })).body;
  const ids = (body: { items: { challengeId: string }[] }) => body.items.map(({ challengeId }) => challengeId);
  const inStates = async () => {
    const pages = await Promise.all(STATES.map((state) => page(`state=${state}`)));
    for (const [index, { items }] of pages.entries()) {
      for (const { state } of items) assert.equal(state, STATES[index]);
    }
    return Object.fromEntries(STATES.map((state, index) => [state, ids(pages[index])]));
  };

  it('filters by the state of the moment, newest first', async () => {
    const scored = await declare(forum, ada, { award: 1 });
    const empty = await declare(forum, ada, { award: 1 });
    forum.advance(MINUTE_MS);
    await submit(await forum.agent(), scored, FAILURE);
    close(forum, empty);
    close(forum, scored);
    await score(ada, scored);
    await score(ada, empty);
    const later: OpenChallenge[] = [];
    for (let n = 0; n < 3; n++) later.push(await declare(forum, ada, { award: 1 }));
    const all = [scored, empty, ...later].map(({ challengeId }) => challengeId);
    const live = all.slice(2).toReversed();
    const settled = { scored: [scored.challengeId], void: [empty.challengeId] };
    assert.deepEqual(ids(await page('')), all.toReversed());
    assert.deepEqual(await inStates(), { declared: live, open: [], scoring_due: [], ...settled });
    forum.advance(MINUTE_MS);
    assert.deepEqual(await inStates(), { declared: [], open: live, scoring_due: [], ...settled });
    forum.advance(HOUR_MS);
    assert.deepEqual(await inStates(), { declared: [], open: [], scoring_due: live, ...settled });
  });

  it('lists those that have not ended by their end, page by page', async () => {
    forum.advance(3 * HOUR_MS);
    const now = forum.api.clock.now();
    const declared: OpenChallenge[] = [];
    for (const hours of [5, 3, 4, 3]) {
      const scoringAt = new Date(now + hours * HOUR_MS).toISOString();
      declared.push(await declare(forum, ada, { award: 1, scoringAt }));
    }
    const expected = [1, 3, 2, 0].map((n) => declared[n]!.challengeId);
    assert.deepEqual(ids(await page('order=closing')), expected);
    const first = await page('order=closing&limit=1');
    const second = await page(`order=closing&limit=1&cursor=${first.nextCursor}`);
    const rest = await page(`order=closing&cursor=${second.nextCursor}`);
    assert.deepEqual([first, second, rest].flatMap(ids), expected);
    assert.deepEqual(
      ids(await page('order=newest&limit=4')),
      declared.map(({ challengeId }) => challengeId).toReversed(),
    );
    forum.advance(3 * HOUR_MS + MINUTE_MS);
    assert.deepEqual(ids(await page('order=closing')), [expected[2], expected[3]]);
    const refused = await ada.anonymous('GET', '/v1/challenges', { query: 'order=closing&state=open' });
    assert.equal(refusal(refused), '400 invalid_request order');
    forum.advance(2 * HOUR_MS);
  });

  it('pages by cursor, each challenge once, and not by another filter or a foreign cursor', async () => {
    const mine = new Set<string>();
    for (let n = 0; n < 5; n++) mine.add((await declare(forum, ada, { award: 1 })).challengeId);
    const seen: string[] = [];
    let query = 'limit=2&state=declared';
    for (let cursor: string | undefined; ; ) {
      const body = await page(cursor === undefined ? query : `${query}&cursor=${cursor}`);
      seen.push(...ids(body));
      cursor = body.nextCursor;
      if (cursor === undefined) break;
    }
    assert.deepEqual(seen, [...mine].toReversed());
    const { nextCursor } = await page(query);
    query = `limit=2&state=open&cursor=${nextCursor}`;
    assert.equal(refusal(await ada.anonymous('GET', '/v1/challenges', { query })), '400 invalid_request cursor');
    const wrong = (text: string) => ada.anonymous('GET', '/v1/challenges', { query: text });
    assert.equal(refusal(await wrong('state=vetoed')), '400 invalid_request state');
    assert.equal(refusal(await wrong('limit=21')), '400 invalid_request limit');
  });

  it('knows how many are open, and which of others await a first submission', async () => {
    const bob = await forum.agent();
    const { db } = forum.api.services;
    const now = () => forum.api.clock.now();
    const awaiting = async (exceptAgentId: string | null) =>
      (await openWithoutSubmissions(db, { exceptAgentId, nowMs: now() }, 20)).items.map(
        ({ challengeId }) => challengeId,
      );
    const open = async () => (await ada.get('/v1/pulse')).body.openChallenges;
    forum.advance(2 * HOUR_MS);
    const [first, second] = [await declare(forum, bob, { award: 1 }), await declare(forum, ada, { award: 1 })];
    assert.equal(await open(), 0);
    const changesAt = async () =>
      (await openWithoutSubmissions(db, { exceptAgentId: null, nowMs: now() }, 20)).changesAt;
    const opensAt = first.scoringAtMs - HOUR_MS;
    assert.equal(await changesAt(), new Date(opensAt).toISOString());
    forum.advance(MINUTE_MS);
    assert.equal(await changesAt(), new Date(first.scoringAtMs).toISOString());
    assert.equal(await open(), 2);
    assert.deepEqual(await awaiting(null), [first.challengeId, second.challengeId]);
    assert.deepEqual(await awaiting(bob.agentId), [second.challengeId]);
    await submit(ada, first, FAILURE);
    assert.deepEqual(await awaiting(null), [second.challengeId]);
    assert.equal(await open(), 2);
    forum.advance(2 * HOUR_MS);
    assert.equal(await open(), 0);
  });

  it('stores that a challenge has a submission', async () => {
    const challenge = await declare(forum, ada, { award: 1 });
    forum.advance(MINUTE_MS);
    const noted = async () =>
      forum.rows('SELECT answered FROM challenge_states WHERE challenge_id = $1', [challenge.challengeId]);
    assert.deepEqual(await noted(), [{ answered: false }]);
    await submit(await forum.agent(), challenge, FAILURE);
    assert.deepEqual(await noted(), [{ answered: true }]);
  });

  it('leaves out vetoed and removed challenges', async () => {
    for (const hidden of ['vetoed_at = now()', 'removed = true']) {
      await declare(forum, ada, { award: 1 });
      const challenge = await declare(forum, ada, { award: 1 });
      const { challengeId, path } = challenge;
      // What the pulse counts, once staking has opened.
      const open = () =>
        forum.rows(
          `SELECT o.count FROM challenge_states s CROSS JOIN LATERAL release.open_challenges(s.staking_opens_at) o
           WHERE s.challenge_id = $1`,
          [challengeId],
        );
      const [before] = (await open()) as { count: number }[];
      await forum.rows(`UPDATE challenge_states SET ${hidden} WHERE challenge_id = $1`, [challengeId]);
      assert.deepEqual(await open(), [{ count: before!.count - 1 }]);
      for (const query of ['', 'state=declared']) assert.ok(!ids(await page(query)).includes(challengeId));
      // It takes no place on a page either.
      await declare(forum, ada, { award: 1 });
      for (const query of ['', '&state=declared']) assert.ok((await page(`limit=1${query}`)).nextCursor);
      assert.equal((await ada.get(path)).status, 404);
      for (const act of [score(ada, challenge), submit(ada, challenge, 1), stake(ada, challenge, 'solved', 1)]) {
        assert.equal((await act).status, 404);
      }
    }
  });

  it('leaves out challenges that are void because they were removed, without a gap in the page', async () => {
    const declared = [];
    for (let n = 0; n < 3; n++) declared.push((await declare(forum, ada, { award: 1 })).challengeId);
    const act = (action: string, targetId: string) =>
      forum.operator.post('/v1/governance/enforcement', { action, targetType: 'challenge', targetId, reason: 'R' });
    for (const challengeId of declared) await act('remove_content', challengeId);
    const [older, , newer] = declared as [string, string, string];
    for (const challengeId of [older, newer]) await act('restore_content', challengeId);
    const first = await page('state=void&limit=1');
    const second = await page(`state=void&limit=1&cursor=${first.nextCursor}`);
    assert.deepEqual([...ids(first), ...ids(second)], [newer, older]);
  });

  it('reads a page, not the table, in every state', async () => {
    await forum.rows(
      `WITH made AS (
         INSERT INTO challenges (challenge_id, declarer_id, declaration, declaration_hash, award_micro, hold_seq, created_at)
         SELECT 'ch_0' || lpad(n::text, 24, '0'), $1, '{}', 'x', 1, n, now() FROM generate_series(1, 30000) n
         RETURNING challenge_id, hold_seq)
       INSERT INTO challenge_states (challenge_id, staking_opens_at, scoring_at, settled_as, settled_at)
       SELECT challenge_id, '2001-01-01', '2002-01-01', CASE hold_seq % 3 WHEN 0 THEN 'scored' WHEN 1 THEN 'void' END,
              CASE WHEN hold_seq % 3 < 2 THEN now() END FROM made`,
      [ada.agentId],
    );
    await forum.rows('ANALYZE challenges');
    await forum.rows('ANALYZE challenge_states');
    await assertFewRead([undefined, ...STATES]);
    const now = new Date(forum.api.clock.now());
    const times = { declared: ['1 day', '2 days'], open: ['-1 day', '1 day'] };
    for (const [state, [opens, scores]] of Object.entries(times)) {
      await forum.rows(
        `UPDATE challenge_states SET staking_opens_at = $1::timestamptz + $2::interval, scoring_at = $1::timestamptz + $3::interval
         WHERE settled_as IS NULL`,
        [now, opens, scores],
      );
      await assertFewRead([state as keyof typeof times]);
      if (state === 'open') await assertFewReadBy(CLOSING_CHALLENGES.text, [now, '~', 21, now]);
    }
    // All are open, and one in a thousand awaits a first submission.
    await forum.rows(`UPDATE challenge_states SET answered = challenge_id NOT LIKE '%000' WHERE settled_as IS NULL`);
    await assertFewReadBy(OPEN_WITHOUT_SUBMISSIONS.text, [now, null, 20]);
  });

  async function assertFewRead(states: readonly (ChallengeState | undefined)[]): Promise<void> {
    const now = new Date(forum.api.clock.now());
    for (const state of states) await assertFewReadBy(listStatement(state).text, ['~', 21, now]);
  }

  async function assertFewReadBy(text: string, values: unknown[]): Promise<void> {
    const [row] = await forum.rows<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      inRelease(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`),
      values,
    );
    const scans = scansOf(row!['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'challenge_states');
    assert.ok(scans.length > 0);
    for (const node of scans) {
      assert.notEqual(node['Node Type'], 'Seq Scan', text);
      const read = node['Actual Rows'] * node['Actual Loops'] + (node['Rows Removed by Filter'] ?? 0);
      assert.ok(read < 200, `${read} rows read: ${text}`);
    }
  }
});

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

const scansOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(scansOf)];
