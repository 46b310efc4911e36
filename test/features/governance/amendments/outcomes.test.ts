import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { awaitOutcomes } from '../../../../src/features/governance/amendments/outcomes.ts';
import { settleAmendments } from '../../../../src/features/governance/amendments/tallyJob.ts';
import { recomputeAggregates } from '../../../../src/features/overview/aggregates.ts';
import { Postgres } from '../../../../src/platform/postgres/postgres.ts';
import type { Replica } from '../../../../src/platform/postgres/replica.ts';
import { exportForum } from '../../../../src/tools/export/exportForum.ts';
import { anonymousContext, list } from '../../../../src/tools/export/rows.ts';
import { serveVariant } from '../../../contract/support/variant.ts';
import { type Answer, TestAgent } from '../../../support/agent.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { heldBack } from '../../../support/heldBack.ts';
import { eventually } from '../../../support/waits.ts';
import {
  accepted,
  amendmentOf,
  assertModeration,
  ballot,
  constitution,
  hashOf,
  propose,
  refused,
  VOTING_MS,
} from '../moderation/support/scenes.ts';

/** Enough time to begin a write before the end, also on a busy machine. */
const AMPLE_MS = 60_000;
/** Real time that the test waits, because the write reads the clock after it was blocked. */
const SHORT_MS = 900;

describe('the outcome of an amendment', () => {
  let forum: TestForum;
  let agents: TestAgent[];
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ env: { AMENDMENT_QUORUM: '3' } });
  });
  beforeEach(async () => {
    // Each test begins with the first constitution.
    await forum.rows('TRUNCATE amendments, amendment_votes, governance_events');
    await forum.rows('UPDATE post_states SET removed = false');
    agents = await Promise.all(Array.from({ length: 3 }, () => forum.agent()));
    ada = agents[0]!;
  });
  afterEach(() => assertModeration(forum));
  after(() => forum.stop());

  /** Proposes, lets two of the three that it takes vote for it, and moves the clock to just before the end. */
  async function almostOver(leftMs: number, text = 'Another'): Promise<string> {
    const postId = await propose(forum, ada, text);
    for (const agent of agents.slice(0, 2)) accepted(await ballot(agent, postId), 200);
    await leave(postId, leftMs);
    return postId;
  }

  async function leave(postId: string, leftMs: number): Promise<void> {
    const [row] = await forum.rows<{ closes_at: Date }>('SELECT closes_at FROM amendments WHERE post_id = $1', [
      postId,
    ]);
    forum.advance(row!.closes_at.getTime() - forum.api.clock.now() - leftMs);
  }

  it('is in an export of a forum without running workers', async () => {
    const postId = await almostOver(0);
    forum.advance(1);
    const { db, config } = forum.api.services;
    const now = forum.api.clock.now();
    await awaitOutcomes({ primary: db, aheadMs: forum.api.clock.aheadMs }, now);
    const exported = await db.inTransaction(
      async (snapshot) => {
        const posts = [];
        for await (const post of list(anonymousContext(snapshot, config, now), 'post.list')) posts.push(post);
        return posts.find((post) => post.postId === postId);
      },
      { snapshot: true },
    );
    assert.equal(exported.amendment.state, (await amendmentOf(ada, postId)).state);
  });

  it('is waited for by an export, while a ballot that was admitted before the end is under way', async () => {
    const postId = await almostOver(AMPLE_MS);
    // An export goes by the clock of the database, and has what is in the log.
    await forum.rows(`UPDATE amendments SET closes_at = now() - interval '1 s'`);
    await forum.rows('TRUNCATE log_pending');
    await forum.rows(`INSERT INTO log_checkpoint (origin, verifier_key, size, note, published_at)
      VALUES ('log', 'key', 0, 'note', now())`);
    const directory = await mkdtemp(join(tmpdir(), 'forum-outcome-'));
    const client = await forum.database.pool.connect();
    try {
      await client.query('BEGIN; UPDATE amendments SET votes_for = votes_for + 1');
      const last =
        'INSERT INTO amendment_votes (post_id, agent_id, in_favour, changed_at) VALUES ($1, $2, true, now())';
      await client.query(last, [postId, agents[2]!.agentId]);
      const { db, config } = forum.api.services;
      const exported = exportForum(db, config, join(directory, 'export'));
      await eventually(async () => (await waiting('await_amendments')).length === 1);
      await client.query('COMMIT');
      await exported;
      const posts = (await readFile(join(directory, 'export', 'posts.ndjson'), 'utf8')).trimEnd().split('\n');
      assert.equal(
        itemOf(
          posts.map((post) => JSON.parse(post)),
          postId,
        ),
        'ratified',
      );
    } finally {
      await client.query('ROLLBACK');
      client.release();
      await rm(directory, { recursive: true });
      await forum.rows('DELETE FROM log_checkpoint');
    }
  });

  /** Everything that computes or shows the outcome, by name; each was read before the write that it waits for ended. */
  const READS: Record<string, (postId: string) => Promise<string>> = {
    'thread.read': async (postId) => (await amendmentOf(ada, postId)).state,
    'post.list': async (postId) => itemOf((await ada.anonymous('GET', '/v1/posts')).body.items, postId),
    'search.find': async (postId) =>
      itemOf((await ada.anonymous('GET', '/v1/search', { query: 'q=Because' })).body.posts, postId),
    'briefing.read': async (postId) => itemOf((await ada.anonymous('GET', '/v1/briefing')).body.posts, postId),
    'constitution.read': async () => stateBy((await constitution(forum)).version),
    'greeting.read': async () => stateBy((await ada.anonymous('GET', '/v1/greeting')).body.constitution.version),
    'pulse.read': async () => stateBy((await ada.get('/v1/pulse')).body.constitution.version),
    'governance.events': async () =>
      (await ada.anonymous('GET', '/v1/governance/events')).body.items[0].kind.replace('amendment_', ''),
  };
  const settle = () => forum.api.services.db.inTransaction((db) => settleAmendments(db, forum.api.clock.aheadMs));
  const itemOf = (items: { postId: string; amendment: { state: string } }[], postId: string): string =>
    items.find((item) => item.postId === postId)?.amendment.state ?? 'absent';
  const stateBy = (version: number): string => (version === 2 ? 'ratified' : 'rejected');
  const seenBy = async (postId: string): Promise<Record<string, string>> =>
    Object.fromEntries(
      await Promise.all(Object.entries(READS).map(async ([name, read]) => [name, await read(postId)] as const)),
    );
  const everywhere = (state: string): Record<string, string> =>
    Object.fromEntries(Object.keys(READS).map((name) => [name, state]));

  /**
   * Runs `act` with a transaction that stays open over the end of the vote. The test takes, in its own transaction, the
   * lock that the next statement of `act` waits for. Returns the answer to `act`, the results of reads that began in
   * the meantime, and whether they waited for it. `whileHeld` runs while they wait.
   */
  async function heldOverTheEnd<T>(
    hold: (client: pg.PoolClient, nonce: string) => Promise<unknown>,
    act: (nonce: string) => Promise<Answer>,
    reads: () => Promise<T>,
    passTheEnd: () => Promise<void> = async () => forum.advance(AMPLE_MS),
    {
      waitsIn = 'await_amendments',
      whileHeld = async () => {},
    }: { waitsIn?: string; whileHeld?: () => Promise<void> } = {},
  ): Promise<{ answer: Answer; seen: T; waited: boolean }> {
    const nonce = randomBytes(16).toString('base64url');
    const client = await forum.database.pool.connect();
    try {
      await client.query('BEGIN');
      await hold(client, nonce);
      const answer = act(nonce);
      await eventually(async () => (await waiting()).length === 1);
      await passTheEnd();
      let waited = true;
      const seen = reads().finally(() => {
        waited = false;
      });
      seen.catch(() => {});
      // In vain where nobody waits: the test then says what was seen.
      await eventually(async () => (await waiting(waitsIn)).length > 0, 1_000).catch(() => {});
      await whileHeld();
      const waitedUntilNow = waited;
      await client.query('ROLLBACK');
      return { answer: await answer, seen: await seen, waited: waitedUntilNow };
    } finally {
      client.release();
    }
  }

  /** The statements that wait for a lock now. */
  const waiting = (text = '') =>
    forum.rows(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`,
      [text],
    );
  const untilTheEnd = () => sleep(SHORT_MS + 100);

  /** Holds the receipt of a write, so that the write has its locks, has decided, and cannot end. */
  const holdReceipt = (by: TestAgent) => (client: pg.PoolClient, nonce: string) =>
    client.query(
      `INSERT INTO write_receipts (agent_id, nonce, signed_at, operation, status, facts, created_at)
       VALUES ($1, $2, $3, 'held', 200, '{}', now())`,
      // The nonce is held on the day that the request is signed.
      [by.agentId, nonce, new Date(forum.api.clock.now())],
    );
  const holdAmendment = (postId: string) => (client: pg.PoolClient) =>
    client.query('SELECT FROM amendments WHERE post_id = $1 FOR UPDATE', [postId]);

  it('counts a ballot that was admitted before the end and committed after it, and no read says otherwise', async () => {
    const postId = await almostOver(AMPLE_MS);
    const last = agents[2]!;
    const { answer, seen, waited } = await heldOverTheEnd(
      holdReceipt(last),
      (nonce) => last.signed('POST', `/v1/amendments/${postId}/votes`, { body: { vote: 'for' }, nonce }),
      () => seenBy(postId),
    );
    accepted(answer, 200);
    assert.equal(answer.body.amendment.state, 'voting');
    assert.deepEqual(seen, everywhere('ratified'));
    assert.ok(waited);
    assert.deepEqual(await seenBy(postId), seen);
    assert.deepEqual((await amendmentOf(ada, postId)).votes, { for: 3, against: 0 });
  });

  /** Whose time the clock of the service is a sample of. */
  const isOverInTheDatabase = async () => {
    const over = 'SELECT FROM amendments WHERE closes_at <= release.service_time($1)';
    return (await forum.rows(over, [forum.api.clock.aheadMs])).length > 0;
  };

  it('is stored with the ballot that was admitted before the end, however late that is committed', async () => {
    const postId = await almostOver(AMPLE_MS);
    const last = agents[2]!;
    const {
      answer,
      seen: settled,
      waited,
    } = await heldOverTheEnd(
      holdReceipt(last),
      (nonce) => last.signed('POST', `/v1/amendments/${postId}/votes`, { body: { vote: 'for' }, nonce }),
      settle,
      async () => {
        forum.advance(AMPLE_MS);
        await eventually(isOverInTheDatabase);
      },
      { waitsIn: 'FOR UPDATE OF a' },
    );
    accepted(answer, 200);
    assert.equal(settled, 1);
    assert.ok(waited);
    const stored = await forum.rows('SELECT state, votes_for FROM amendments');
    assert.deepEqual(stored, [{ state: 'ratified', votes_for: 3 }]);
    assert.deepEqual(await seenBy(postId), everywhere('ratified'));
  });

  it('counts a ballot one microsecond before the end, and refuses one exactly at the end', async () => {
    const postId = await almostOver(AMPLE_MS);
    const [{ end }] = (await forum.rows<{ end: string }>('SELECT closes_at::text AS end FROM amendments')) as [
      { end: string },
    ];
    const serviceTime = (time: string) =>
      forum.rows(`CREATE OR REPLACE FUNCTION release.service_time(p_ahead_ms double precision) RETURNS timestamptz
        LANGUAGE sql VOLATILE AS $$ SELECT ${time} $$`);
    const isDue = async (time: string) =>
      (await forum.rows(`SELECT FROM release.due_amendments(${time})`)).length === 1;
    const [before, at] = [`timestamptz '${end}' - interval '1 microsecond'`, `timestamptz '${end}'`];
    try {
      await serviceTime(before);
      accepted(await ballot(agents[2]!, postId), 200);
      assert.equal(await isDue(before), false);
      await serviceTime(at);
      refused(await ballot(forum.operator, postId, 'against'), 409, { error: 'conflict' });
      refused(await ballot(ada, postId, 'against'), 409, { error: 'conflict' });
      assert.equal(await isDue(at), true);
    } finally {
      await serviceTime(`clock_timestamp() + p_ahead_ms * interval '1 millisecond'`);
    }
    forum.advance(AMPLE_MS);
    assert.deepEqual(await seenBy(postId), everywhere('ratified'));
    assert.deepEqual((await amendmentOf(ada, postId)).votes, { for: 3, against: 0 });
  });

  it('does not count a ballot that begins before the end and gets its lock after it', async () => {
    const postId = await almostOver(SHORT_MS);
    const { answer, seen } = await heldOverTheEnd(
      holdAmendment(postId),
      () => ballot(agents[2]!, postId),
      () => seenBy(postId),
      untilTheEnd,
    );
    refused(answer, 409, { error: 'conflict' });
    assert.deepEqual(seen, everywhere('rejected'));
    assert.deepEqual(await seenBy(postId), seen);
  });

  it('does not count a ballot that gets its lock after a removal', async () => {
    const postId = await propose(forum, ada, 'Another');
    const act = { action: 'remove_content', targetType: 'post', targetId: postId, reason: 'By the rules' };
    const [removed, voted] = await heldBack(
      forum,
      { text: 'SELECT FROM amendments WHERE post_id = $1 FOR UPDATE', values: [postId] },
      [() => forum.operator.post('/v1/governance/enforcement', act), () => ballot(ada, postId)],
    );
    accepted(removed!);
    refused(voted!, 404, { error: 'not_found' });
    assert.deepEqual(await forum.rows('SELECT FROM amendment_votes'), []);
  });

  it('ignores a veto that gets its lock after the end', async () => {
    const late = await almostOver(AMPLE_MS, 'late');
    accepted(await ballot(agents[2]!, late), 200);
    await leave(late, SHORT_MS);
    const body = { targetType: 'amendment', targetId: late, reason: 'R' };
    const tooLate = await heldOverTheEnd(
      holdAmendment(late),
      () => forum.operator.post('/v1/governance/veto', body),
      () => seenBy(late),
      untilTheEnd,
    );
    refused(tooLate.answer, 409, { error: 'conflict' });
    assert.deepEqual(tooLate.seen, everywhere('ratified'));
    assert.deepEqual(await seenBy(late), tooLate.seen);
  });

  it('is that of a veto which was decided before the end and committed after it', async () => {
    const postId = await almostOver(AMPLE_MS);
    accepted(await ballot(agents[2]!, postId), 200);
    const body = { targetType: 'amendment', targetId: postId, reason: 'R' };
    const { answer, seen } = await heldOverTheEnd(
      holdReceipt(forum.operator),
      (nonce) => forum.operator.signed('POST', '/v1/governance/veto', { body, nonce }),
      () => seenBy(postId),
    );
    accepted(answer);
    const { 'thread.read': thread, 'constitution.read': text } = seen;
    assert.deepEqual([thread, text], ['vetoed', 'rejected']);
    assert.deepEqual(await seenBy(postId), seen);
  });

  it('is that of a removal which was decided before the end and committed after it', async () => {
    const postId = await almostOver(AMPLE_MS);
    accepted(await ballot(agents[2]!, postId), 200);
    const body = { action: 'remove_content', targetType: 'post', targetId: postId, reason: 'R' };
    const { answer, seen } = await heldOverTheEnd(
      holdReceipt(forum.operator),
      (nonce) => forum.operator.signed('POST', '/v1/governance/enforcement', { body, nonce }),
      () => constitution(forum, `hash=${hashOf('Another')}`).catch(() => constitution(forum)),
    );
    accepted(answer);
    assert.equal(seen.version, 1);
    assert.equal((await constitution(forum)).version, 1);
    assert.equal(await READS['post.list']!(postId), 'absent');
  });

  it('is waited for on one connection, however many read', async () => {
    const postId = await almostOver(AMPLE_MS);
    const last = agents[2]!;
    let most = 0;
    const { answer, seen } = await heldOverTheEnd(
      holdReceipt(last),
      (nonce) => last.signed('POST', `/v1/amendments/${postId}/votes`, { body: { vote: 'for' }, nonce }),
      () => Promise.all(Array.from({ length: 30 }, () => READS['thread.read']!(postId))),
      undefined,
      {
        whileHeld: async () => {
          // Writes that do not concern the vote continue meanwhile.
          accepted(await ada.get('/v1/karma'), 200);
          accepted(await ada.post('/v1/posts', { title: 'T', body: 'B' }));
          most = (await waiting('await_amendments')).length;
        },
      },
    );
    accepted(answer, 200);
    assert.equal(most, 1);
    assert.deepEqual(new Set(seen), new Set(['ratified']));
  });

  it('comes from the primary if the replica of a read lags', async () => {
    const postId = await almostOver(AMPLE_MS);
    // Goes on seeing what there was when it was first asked.
    const { db } = forum.api.services;
    await db.inTransaction(
      async (lagging) => {
        const replica = { current: () => lagging, hasFailed: () => false } as unknown as Replica;
        const door = await serveVariant(forum, { replica });
        try {
          const nobody = new TestAgent(door.url);
          const read = async (path: string) => (await nobody.anonymous('GET', `/v1/${path}`)).body;
          const seen = async () => {
            const events = (await read('governance/events')).items as { eventId: string; kind: string }[];
            const [told] = events;
            const { version, text } = await read('constitution');
            return {
              list: itemOf((await read('posts')).items, postId),
              events: told?.kind.replace('amendment_', ''),
              event: told && (await read(`governance/events/${told.eventId}`)).kind.replace('amendment_', ''),
              constitution: stateBy(version),
              text: text === 'Another',
              greeting: stateBy((await read('greeting')).constitution.version),
              pulse: stateBy((await read('pulse')).constitution.version),
            };
          };
          assert.equal((await seen()).list, 'voting');
          accepted(await ballot(agents[2]!, postId), 200);
          forum.advance(AMPLE_MS);
          const ratified = { list: 'ratified', events: 'ratified', event: 'ratified', constitution: 'ratified' };
          const everywhere = { ...ratified, text: true, greeting: 'ratified', pulse: 'ratified' };
          assert.deepEqual(await seen(), everywhere);
          await settle();
          assert.deepEqual(await seen(), everywhere);
        } finally {
          await door.stop();
        }
      },
      { snapshot: true },
    );
  });

  it('a read returns unavailable when the outcome takes more than 3 s, and the outcome later', async () => {
    const postId = await almostOver(AMPLE_MS);
    forum.advance(AMPLE_MS);
    const client = await forum.database.pool.connect();
    try {
      await client.query('BEGIN');
      await holdAmendment(postId)(client);
      refused(await ada.get(`/v1/posts/${postId}`), 503, { error: 'unavailable' });
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
    assert.equal(await READS['thread.read']!(postId), 'rejected');
  });

  it('takes no lock before the end, and no lock once it is stored', async () => {
    const locks = () =>
      forum.rows<{ xmax: string }>('SELECT xmax::text FROM amendments').then((rows) => rows.map(({ xmax }) => xmax));
    const postId = await propose(forum, ada, 'Another');
    const untouched = await locks();
    assert.equal((await seenBy(postId))['thread.read'], 'voting');
    assert.deepEqual(await locks(), untouched);
    forum.advance(VOTING_MS);
    assert.deepEqual(await seenBy(postId), everywhere('rejected'));
    assert.notDeepEqual(await locks(), untouched);
    await settle();
    const stored = await locks();
    assert.deepEqual(await seenBy(postId), everywhere('rejected'));
    assert.deepEqual(await locks(), stored);
  });

  it('a cached briefing shows the final outcome', async () => {
    const postId = await almostOver(SHORT_MS);
    const last = agents[2]!;
    // The worker's clock is the database's, which no test moves.
    const moved = forum.api.clock.aheadMs;
    await forum.rows(`UPDATE amendments SET closes_at = closes_at - $1 * interval '1 millisecond'`, [moved]);
    forum.advance(-moved);
    const db = new Postgres({ url: forum.database.url, maxConnections: 3, applicationName: 'test worker' });
    try {
      const { seen } = await heldOverTheEnd(
        holdReceipt(last),
        (nonce) => last.signed('POST', `/v1/amendments/${postId}/votes`, { body: { vote: 'for' }, nonce }),
        async () => {
          const states = new Set<string>();
          // The ballot that is waited for happens while the first is computed, which is not kept then.
          for (let n = 0; n < 2; n++) {
            await forum.rows(`INSERT INTO stale_aggregates VALUES ('') ON CONFLICT DO NOTHING`);
            await recomputeAggregates(db, db);
            const copies = await forum.rows<{ body: string }>(`SELECT body FROM aggregates WHERE scope = ''`);
            for (const { body } of copies) states.add(itemOf(JSON.parse(body).posts, postId));
          }
          return [...states].join();
        },
        untilTheEnd,
      );
      assert.equal(seen, 'ratified');
    } finally {
      await db.close();
      forum.advance(moved);
    }
  });
});
