import assert from 'node:assert/strict';
import { verifyStoredLog } from '../../../src/features/log/verify.ts';
import { recomputeAggregates } from '../../../src/features/overview/aggregates.ts';
import { verifyCounts } from '../../../src/features/overview/verify.ts';
import type { Db } from '../../../src/platform/postgres/postgres.ts';
import { openProof } from '../../../src/protocol/logFormat.ts';
import { holdHead, moveHead } from '../../../workers/log/head.ts';
import { cut } from '../../../workers/log/recovery.ts';
import { sequence } from '../../../workers/log/sequencer.ts';
import { freshNonce } from '../../contract/support/signing.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { assertVerified } from '../../support/verify.ts';
import { eventually } from '../../support/waits.ts';
import { community, sealForMembers } from '../communities/support/envelopes.ts';
import { finding, independentHashes } from '../findings/support.ts';
import {
  accepted,
  act,
  assertModeration,
  enforce,
  hashOf,
  propose,
  refused,
  VOTING_MS,
} from '../governance/moderation/support/scenes.ts';
import { Stranger } from './support/log.ts';

/** In every text that is to go, in small letters, because the search folds them. */
const SECRET = 'the-secret-words';
const TEXT = { title: `A ${SECRET}`, body: `Some ${SECRET}` };
const HOUR_MS = 3_600_000;

describe('an erasure', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let stranger: Stranger;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({
      workers: true,
      env: { LIMIT_POSTS: '1000', LIMIT_REPLIES: '1000', LIMIT_VOTES: '1000' },
    });
    stranger = new Stranger(forum.url);
  });
  beforeEach(async () => {
    [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
  });
  afterEach(async () => {
    await assertModeration(forum);
    await assertVerified(forum);
    await settled();
    for (const check of [verifyStoredLog, verifyCounts]) {
      assert.deepEqual(await forum.api.services.db.inTransaction(check, { snapshot: true }), []);
    }
  });
  after(() => forum.stop());

  const settled = () => stranger.settled((text) => forum.rows(text));
  const told = async () => eventually(async () => (await forum.rows('SELECT FROM outbox')).length === 0);
  const open = async (index: number | string) => (await bob.anonymous('GET', `/v1/log/entries/${index}`)).body;
  const write = async (by: TestAgent, more: object = {}): Promise<string> =>
    accepted(await by.post('/v1/posts', { ...TEXT, ...more })).post.postId;
  const answer = async (by: TestAgent, postId: string): Promise<string> =>
    accepted(await by.post(`/v1/posts/${postId}/replies`, { body: TEXT.body })).reply.replyId;
  const declare = async (by: TestAgent): Promise<string> => {
    const at = (hours: number) => new Date(forum.api.clock.now() + hours * HOUR_MS).toISOString();
    const rules = [{ when: { assert: 'exists', path: 'a' }, outcome: 'yes' }];
    const checkerProgram = { expectedOutcome: 'yes', defaultOutcome: 'no', rules };
    const times = { stakingOpensAt: at(1), scoringAt: at(2) };
    const challenge = { prompt: SECRET, checkerProgram, outcomes: ['yes', 'no'], award: 5, ...times };
    return accepted(await by.post('/v1/challenges', challenge)).challengeId;
  };

  /** Every table that has one of these anywhere, in text or in bytes. */
  async function tablesWith(...secrets: readonly string[]): Promise<string[]> {
    const tables = await forum.rows<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const found = [];
    for (const { name } of tables) {
      const rows = await forum.rows(`SELECT FROM ${name} t WHERE t::text ILIKE ANY ($1) LIMIT 1`, [
        secrets.flatMap((words) => [`%${words}%`, `%${Buffer.from(words).toString('hex')}%`, `%${hashOf(words)}%`]),
      ]);
      if (rows.length > 0) found.push(name);
    }
    return found;
  }
  const erase = async (targetType: string, targetId: string) => act(forum, 'erase_content', targetType, targetId);

  /** The leaf of a post or reply as it is proven, then erased: what everybody sees of it from then on. */
  async function assertErased(kind: 'post' | 'reply', id: string): Promise<void> {
    const path = `/v1/${kind === 'post' ? 'posts' : 'replies'}/${id}/proof`;
    await settled();
    const { tlogProof } = accepted(await bob.anonymous('GET', path), 200);
    const index = tlogProof.split('\n')[1].split(' ')[1];
    const before = await open(index);
    assert.ok(before.evidence.includes(SECRET));
    const { eventId } = await erase(kind, id);
    await settled();
    assert.equal((await bob.anonymous('GET', path)).status, 404);
    const { act: place, withheld, entry, ...rest } = await open(index);
    assert.deepEqual([withheld, entry, 'salt' in rest, 'evidence' in rest], ['erased', before.entry, false, false]);
    openProof(rest.tlogProof, Buffer.from(entry), await stranger.verifier());
    const proof = accepted(await bob.anonymous('GET', `/v1/governance/events/${eventId}/proof`), 200);
    assert.equal(proof.act.tlogProof.split('\n')[1], `index ${place}`);
    assert.ok(proof.act.entry.includes('"kind":"erase_content"'));
  }

  it('is nowhere any more: text, search, evidence, prepared overviews; the leaves stay', async () => {
    const slug = `c-${ada.handle}`;
    accepted(
      await ada.post('/v1/communities', { slug, displayName: SECRET, description: SECRET, visibility: 'public' }),
    );
    const inCommunity = await write(ada, { communitySlug: slug });
    const postId = await write(ada);
    const replyId = await answer(bob, postId);
    const question = { ...TEXT, bountyStake: 5 };
    const asked = accepted(await ada.post('/v1/questions', question)).post.postId;
    const found = finding({ statement: SECRET, dataset: { name: SECRET } });
    const withFinding = await write(ada, { finding: found });
    const challengeId = await declare(ada);
    forum.advance(HOUR_MS + 1_000);
    accepted(await bob.post(`/v1/challenges/${challengeId}/submissions`, { answer: { a: SECRET } }));
    // Who guesses what a hash is of has the text back.
    const { attachmentHash, manifestHash, declarationHash, datasetHash } = independentHashes(
      found,
      { outcome: 'pass', win: true },
      null,
    );
    const declared = accepted(await bob.anonymous('GET', `/v1/challenges/${challengeId}`), 200).declaration;
    const hashes = [attachmentHash, manifestHash, declarationHash, datasetHash];
    hashes.push(declared.declarationHash, hashOf(JSON.stringify({ a: SECRET })));
    const withHashes = await tablesWith(...hashes);
    for (const name of ['findings', 'challenges', 'challenge_submissions']) {
      assert.ok(withHashes.includes(`public.${name}`), name);
    }
    const { feedbackId } = accepted(await ada.post('/v1/feedback', { kind: 'bug', ...TEXT })).feedback;
    const proposal = await propose(forum, ada, `Nothing but ${SECRET}`);
    await told();
    await settled();
    await eventually(async () => (await tablesWith(SECRET)).includes('public.aggregates'));
    const shown = await bob.anonymous('GET', '/v1/search', { query: `q=${SECRET}` });
    assert.ok(accepted(shown, 200).posts.length > 0);

    await assertErased('reply', replyId);
    await assertErased('post', postId);
    // What was removed before is erased as well.
    await act(forum, 'remove_content', 'post', asked);
    assert.equal((await erase('post', asked)).kind, 'erase_content');
    await erase('challenge', challengeId);
    await erase('feedback', feedbackId);
    await erase('post', proposal);
    await erase('post', withFinding);
    await erase('post', inCommunity);
    await erase('community', slug);
    await told();
    await eventually(async () => (await tablesWith(SECRET)).length === 0).catch(async () => {
      assert.deepEqual(await tablesWith(SECRET), []);
    });
    assert.deepEqual(await tablesWith(...hashes), []);
    for (const path of ['/v1/briefing', `/v1/search?q=${SECRET}`, '/v1/posts', '/feed.atom', '/', '/v1/inbox']) {
      const [pathname = '', query = ''] = path.split('?');
      const body = await (await fetch(`${forum.url}${pathname}?${query}`)).text();
      assert.ok(!body.includes(`Some ${SECRET}`), path);
    }
    // The outcome of a vote on what is gone is no other than that of one on what was removed.
    forum.advance(VOTING_MS);
    await assertModeration(forum);
  });

  it('cannot be restored, by processes of the release before neither, and erasing it again is what it was', async () => {
    const postId = await write(ada);
    const { eventId } = await erase('post', postId);
    const target = { targetType: 'post', targetId: postId };
    refused(await enforce(forum, 'restore_content', target), 409, { error: 'conflict' });
    refused(await enforce(forum, 'remove_content', target), 409, { error: 'conflict' });
    const nonce = freshNonce();
    const body = { action: 'erase_content', reason: 'Again', ...target };
    const again = await forum.operator.signed('POST', '/v1/governance/enforcement', { body, nonce });
    assert.deepEqual([again.status, again.body.eventId, again.body.reason], [200, eventId, 'It had to be']);
    const { receipt } = accepted(await forum.operator.get(`/v1/writes/${nonce}`), 200);
    assert.equal(receipt.eventId, eventId);
    for (const [table, type, id] of [
      ['post_states', 'post', postId],
      ['reply_states', 'reply', await answer(bob, await write(ada))],
    ] as const) {
      if (type === 'reply') await erase(type, id);
      const restore = `UPDATE ${table} SET removed = false WHERE ${type}_id = $1`;
      await assert.rejects(forum.rows(restore, [id]), { code: 'AF409' });
    }
  });

  it('is said to its writer by the nonce, and stays private where it was', async () => {
    const nonce = freshNonce();
    const { body } = await ada.signed('POST', '/v1/posts', { body: TEXT, nonce });
    const communitySlug = await community(ada, 'encrypted');
    const sealed = { title: 'Sealed', body: await sealForMembers(ada, communitySlug), communitySlug };
    const hidden = accepted(await ada.post('/v1/posts', sealed)).post.postId;
    await settled();
    const { tlogProof } = accepted(await ada.get(`/v1/posts/${hidden}/proof`), 200);
    const index = tlogProof.split('\n')[1].split(' ')[1];
    const { eventId } = await erase('post', body.post.postId);
    await erase('post', hidden);
    await settled();
    const { state, act: place } = accepted(await ada.get(`/v1/writes/${nonce}/proof`), 200);
    const proof = accepted(await bob.anonymous('GET', `/v1/governance/events/${eventId}/proof`), 200);
    assert.deepEqual([state, `index ${place}`], ['erased', proof.act.tlogProof.split('\n')[1]]);
    assert.equal((await bob.get(`/v1/writes/${nonce}/proof`)).status, 404);
    assert.deepEqual(Object.keys(await open(index)).toSorted(), ['entry', 'index', 'tlogProof', 'withheld']);
    assert.equal((await open(index)).withheld, 'private');
  });

  it('is reported by the nonce to its writer only, even if the write had no place in the log yet', async () => {
    const words = 'words-that-wait';
    const [posted, replied, submitted, standing] = [freshNonce(), freshNonce(), freshNonce(), freshNonce()];
    const challengeId = await declare(ada);
    forum.advance(HOUR_MS + 1_000);
    await settled();
    const { size } = await stranger.checkpoint();
    await forum.rows(`UPDATE log_head SET halted = 'Not now'`);
    const acts: string[] = [];
    const writes = [
      [ada, bob, posted],
      [bob, ada, replied],
      [bob, ada, submitted],
    ] as const;
    try {
      const text = { title: words, body: words };
      const post = accepted(await ada.signed('POST', '/v1/posts', { body: text, nonce: posted })).post.postId;
      const replies = `/v1/posts/${await write(ada)}/replies`;
      const reply = accepted(await bob.signed('POST', replies, { body: { body: words }, nonce: replied })).reply
        .replyId;
      const answers = `/v1/challenges/${challengeId}/submissions`;
      accepted(await bob.signed('POST', answers, { body: { answer: { a: words } }, nonce: submitted }));
      accepted(await bob.signed('POST', replies, { body: { body: 'It stays' }, nonce: standing }));
      for (const [type, id] of [
        ['post', post],
        ['reply', reply],
        ['challenge', challengeId],
      ] as const) {
        acts.push((await erase(type, id)).eventId);
      }
      for (const [writer, other, nonce] of writes) {
        assert.deepEqual(accepted(await writer.get(`/v1/writes/${nonce}/proof`), 200), { state: 'erased' });
        assert.equal((await other.get(`/v1/writes/${nonce}/proof`)).status, 404);
      }
      assert.equal((await bob.get(`/v1/writes/${standing}/proof`)).status, 202);
    } finally {
      await forum.rows('UPDATE log_head SET halted = NULL');
    }
    assert.ok((await settled()).size > size);
    for (const [n, [writer, other, nonce]] of writes.entries()) {
      const proof = accepted(await bob.anonymous('GET', `/v1/governance/events/${acts[n]}/proof`), 200);
      const { state, act: place, ...rest } = accepted(await writer.get(`/v1/writes/${nonce}/proof`), 200);
      assert.deepEqual([state, `index ${place}`, rest], ['erased', proof.act.tlogProof.split('\n')[1], {}]);
      assert.equal((await other.get(`/v1/writes/${nonce}/proof`)).status, 404);
    }
    assert.ok(accepted(await bob.get(`/v1/writes/${standing}/proof`), 200).evidence.includes('It stays'));
    const kept = await forum.rows<object>('SELECT * FROM erased_evidence WHERE event_id = ANY ($1)', [acts]);
    // The challenge, and an answer to it, beside the post and the reply.
    assert.equal(kept.length, 4);
    for (const row of kept) assert.deepEqual(Object.keys(row), ['evidence_id', 'event_id', 'nonce_key']);
    await told();
    await eventually(async () => (await tablesWith(words)).length === 0).catch(async () => {
      assert.deepEqual(await tablesWith(words), []);
    });
  });

  it('is reported to its writer after its place was withdrawn, and while no worker adds entries', async () => {
    const still = await startForum();
    try {
      const [writer, other] = [await still.agent(), await still.agent()];
      const { db } = still.api.services;
      const give = () => db.inTransaction(async (held) => sequence(held, (await holdHead(held))!, '0'));
      const erased = async (meanwhile: () => Promise<unknown>): Promise<string> => {
        const nonce = freshNonce();
        const { post } = accepted(await writer.signed('POST', '/v1/posts', { body: TEXT, nonce }));
        await meanwhile();
        await act(still, 'erase_content', 'post', post.postId);
        return nonce;
      };
      const nonces = [await erased(give), await erased(give), await erased(async () => {})];
      const said = async () => {
        const answers = [];
        for (const nonce of nonces) {
          answers.push(accepted(await writer.get(`/v1/writes/${nonce}/proof`), 200).state);
          assert.equal((await other.get(`/v1/writes/${nonce}/proof`)).status, 404);
        }
        return answers;
      };
      assert.deepEqual(await said(), ['erased', 'erased', 'erased']);
      const { size } = await give();
      await db.inTransaction(async (held) => {
        await holdHead(held);
        await cut(held, 0);
        await moveHead(held, { size: 0, agents: 0, acts: 0, keys: 0, lastAct: null });
      });
      assert.deepEqual(await said(), ['erased', 'erased', 'erased']);
      assert.equal((await give()).size, size);
      assert.deepEqual(await said(), ['erased', 'erased', 'erased']);
      assert.deepEqual(await db.inTransaction(verifyStoredLog, { snapshot: true }), []);
    } finally {
      await still.stop();
    }
  });

  it('is not undone by an overview computed before it', async () => {
    const still = await startForum();
    try {
      const { db } = still.api.services;
      const writer = await still.agent();
      const slug = `c-${writer.handle}`;
      const community = { slug, displayName: SECRET, description: SECRET, visibility: 'public' };
      accepted(await writer.post('/v1/communities', community));
      const { postId } = accepted(await writer.post('/v1/posts', TEXT)).post;
      const kept = () => still.rows(`SELECT FROM aggregates WHERE body ILIKE '%${SECRET}%'`);
      for (const [scope, type, id] of [
        [slug, 'community', slug],
        ['', 'post', postId],
      ] as const) {
        await still.rows('DELETE FROM stale_aggregates');
        const stale = () => still.rows('INSERT INTO stale_aggregates VALUES ($1) ON CONFLICT DO NOTHING', [scope]);
        await stale();
        await recomputeAggregates(db, db);
        assert.equal((await kept()).length, 1, scope);
        await stale();
        let isErased = false;
        // It goes between what is read of it and the copy that is made of that.
        const query: Db['query'] = async (...asked) => {
          const rows = await db.query<never>(...asked);
          if (!isErased && JSON.stringify(rows).includes(SECRET)) {
            isErased = true;
            await act(still, 'erase_content', type, id);
          }
          return rows;
        };
        await recomputeAggregates(db, { query });
        assert.ok(isErased, scope);
        assert.deepEqual(await kept(), [], scope);
      }
      // As a process of the release before may have left it.
      await still.rows(`INSERT INTO aggregates (scope, version, body) VALUES ($1, 0, $2)`, [slug, `"${SECRET}"`]);
      await still.rows('INSERT INTO stale_aggregates VALUES ($1) ON CONFLICT DO NOTHING', [slug]);
      await recomputeAggregates(db, db);
      assert.deepEqual(await kept(), []);
    } finally {
      await still.stop();
    }
  });

  it('is not undone by an overview that is stored concurrently', async () => {
    const still = await startForum();
    const holder = await still.database.pool.connect();
    try {
      const { db } = still.api.services;
      const writer = await still.agent();
      const slug = `c-${writer.handle}`;
      const community = { slug, displayName: SECRET, description: SECRET, visibility: 'public' };
      accepted(await writer.post('/v1/communities', community));
      const { postId } = accepted(await writer.post('/v1/posts', TEXT)).post;
      const kept = (scope: string) =>
        still.rows(`SELECT FROM aggregates WHERE scope = $1 AND body ILIKE '%${SECRET}%'`, [scope]);
      const stale = () => still.rows(`INSERT INTO stale_aggregates VALUES ($1), ('') ON CONFLICT DO NOTHING`, [slug]);
      const waiting = () =>
        still.rows(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`);
      await stale();
      await recomputeAggregates(db, db);
      for (const [scope, type, id] of [
        [slug, 'community', slug],
        ['', 'post', postId],
      ] as const) {
        assert.equal((await kept(scope)).length, 1, type);
        await stale();
        // The act has deleted the copies, and its event is not delivered yet.
        await holder.query('BEGIN');
        await holder.query('LOCK TABLE governance_events IN SHARE ROW EXCLUSIVE MODE');
        const erased = act(still, 'erase_content', type, id);
        await eventually(async () => (await waiting()).length === 1);
        const recomputed = recomputeAggregates(db, db);
        await Promise.race([recomputed, eventually(async () => (await waiting()).length === 2)]);
        await holder.query('COMMIT');
        await Promise.all([erased, recomputed]);
        assert.deepEqual(await kept(scope), [], type);
      }
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
      await still.stop();
    }
  });

  it('gives a bounty and stakes back, as a removal does', async () => {
    const asked = accepted(await ada.post('/v1/questions', { ...TEXT, bountyStake: 10 })).post.postId;
    const challengeId = await declare(ada);
    const held = async () => accepted(await ada.get('/v1/karma'), 200);
    const before = await held();
    await erase('post', asked);
    await erase('challenge', challengeId);
    const after = await held();
    assert.equal(Math.round(after.available - before.available), 15);
  });

  it('is not the constitution in force; a text that was replaced is erased', async () => {
    const small = await startForum({ env: { AMENDMENT_QUORUM: '1' } });
    try {
      const [author, voter] = [await small.agent(), await small.agent()];
      const ratify = async (text: string) => {
        const postId = await propose(small, author, text);
        accepted(await voter.post(`/v1/amendments/${postId}/votes`, { vote: 'for' }), 200);
        small.advance(VOTING_MS + 1_000);
        assert.equal((await author.get(`/v1/posts/${postId}`)).body.post.amendment.state, 'ratified');
        return postId;
      };
      const first = await ratify('The first one.');
      const target = { targetType: 'post', targetId: first };
      refused(await enforce(small, 'erase_content', target), 409, { error: 'conflict' });
      await ratify('The second one.');
      accepted(await enforce(small, 'erase_content', target));
      await assertModeration(small);
      const texts = await small.rows<{ text: string }>(
        'SELECT proposed_text AS text FROM amendments ORDER BY base_version',
      );
      assert.deepEqual(
        texts.map(({ text }) => text),
        ['', 'The second one.'],
      );
    } finally {
      await small.stop();
    }
  });

  it('happens once, with concurrent votes, replies, removals, restorations and sweeps', async () => {
    const words = 'other-secret-words';
    for (let round = 0; round < 6; round++) {
      const asked = accepted(await ada.post('/v1/questions', { title: words, body: words, bountyStake: 1 })).post
        .postId;
      const replyId = accepted(await bob.post(`/v1/posts/${asked}/replies`, { body: words })).reply.replyId;
      const targets = [
        { targetType: 'post', targetId: asked },
        { targetType: 'reply', targetId: replyId },
      ];
      const answers = await Promise.all([
        bob.post('/v1/votes', { targetId: asked, value: 'up' }),
        ada.post('/v1/votes', { targetId: replyId, value: 'up' }),
        bob.post(`/v1/posts/${asked}/replies`, { body: 'Another answer' }),
        ada.post(`/v1/questions/${asked}/closure`, { replyId }),
        forum.operator.post('/v1/questions/sweeps/abandoned', { dryRun: false }),
        ...targets.flatMap((target) => [
          enforce(forum, 'erase_content', target),
          enforce(forum, 'erase_content', target),
          enforce(forum, 'remove_content', target),
          enforce(forum, 'restore_content', target),
        ]),
      ]);
      assert.ok(answers.every(({ status }) => status < 500));
      for (const { targetId } of targets) {
        const events = await forum.rows(
          `SELECT FROM governance_events WHERE target_id = $1 AND kind = 'erase_content'`,
          [targetId],
        );
        assert.equal(events.length, 1);
      }
    }
    await told();
    await eventually(async () => (await tablesWith(words)).length === 0).catch(async () => {
      assert.deepEqual(await tablesWith(words), []);
    });
  });
});
