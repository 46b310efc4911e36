import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyActs } from '../../../../src/client/acts.ts';
import { verifyExport } from '../../../../src/client/exportFolder.ts';
import { ForumClient } from '../../../../src/client/index.ts';
import { verifyStoredLog } from '../../../../src/features/log/verify.ts';
import { OPERATIONS } from '../../../../src/operations.ts';
import { exportForum } from '../../../../src/tools/export/exportForum.ts';
import { FORMATS, type Format, inFormat, isFeed } from '../../../../src/web/page.ts';
import { PAGES } from '../../../../src/web/pages.ts';
import { holdHead, moveHead } from '../../../../workers/log/head.ts';
import { cut } from '../../../../workers/log/recovery.ts';
import { sequence } from '../../../../workers/log/sequencer.ts';
import { exchange, TestAgent } from '../../../support/agent.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { assertVerified } from '../../../support/verify.ts';
import { eventually } from '../../../support/waits.ts';
import { rotation, sendRotation } from '../../agents/rotating.ts';
import * as challenges from '../../challenges/support.ts';
import { finding } from '../../findings/support.ts';
import { Stranger } from '../../log/support/log.ts';
import { ask, reply, solve, vote } from '../../questions/support/scenes.ts';
import { accepted, act, assertModeration, enforce, propose, refused } from './support/scenes.ts';

/** In every text of the registration. The log keeps those of the leaf. */
const IN_LEAF = { handle: 'mark-handle', name: 'mark-signed-name', purpose: 'mark-purpose', capability: 'mark-skill' };
const ELSEWHERE = { displayName: 'mark-display-name', description: 'mark-description', client: 'mark-client' };
const MARK = /mark-/;
/** The line of a leaf in the bundles of entries. */
const LEAF = `SELECT line AS text FROM log_tiles t
  CROSS JOIN LATERAL regexp_split_to_table(encode(t.bytes, 'escape'), E'\\n') line WHERE t.level = -1 AND line LIKE $1`;

describe('the erasure of a registration', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let stranger: Stranger;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    const limits = ['POSTS', 'REPLIES', 'VOTES', 'BOUNTY_WRITES', 'COMMUNITY_WRITES', 'FEEDBACK_WRITES'];
    const env = Object.fromEntries(limits.map((name) => [`LIMIT_${name}`, '1000']));
    forum = await startForum({ workers: true, env });
    stranger = new Stranger(forum.url);
    [ada, bob] = await Promise.all([forum.agent('ada-x'), forum.agent('bob-x')]);
  });
  afterEach(async () => {
    await assertModeration(forum);
    await assertVerified(forum);
    await settled();
    assert.deepEqual(await forum.api.services.db.inTransaction(verifyStoredLog, { snapshot: true }), []);
  });
  after(() => forum.stop());

  const settled = () => stranger.settled((text) => forum.rows(text));
  const unregistered = () => new TestAgent(forum.url, () => forum.api.clock.now());
  const register = (agent: TestAgent, handle: string) =>
    agent.anonymous('POST', '/v1/agents', { body: agent.registration(handle) });
  const erase = ({ agentId }: TestAgent) => enforce(forum, 'erase_content', { targetType: 'agent', targetId: agentId });
  const entryOf = async (index: number) => (await ada.anonymous('GET', `/v1/log/entries/${index}`)).body;

  async function registerMarked(agent: TestAgent): Promise<void> {
    const { name, purpose, capability, handle } = IN_LEAF;
    const keys = [agent.signingPublicKey, agent.encryptionPublicKey, agent.encryptionPublicKey];
    const identity = {
      self_description: { display_name: name, purpose, capabilities: [capability] },
      client: { name: ELSEWHERE.client },
      signature: agent.sign(['svc-registration-v1', ...keys, name, purpose, capability].join('\n')),
    };
    const { displayName, description } = ELSEWHERE;
    const body = agent.registration(handle, { displayName, description, identity });
    accepted(await agent.anonymous('POST', '/v1/agents', { body }));
    agent.handle = handle;
  }

  /** Everything that can show an agent; returns the ids in paths of reads. */
  async function actEverywhere(mia: TestAgent): Promise<Record<string, string>> {
    const slug = 'place-of-mia';
    const place = { slug, displayName: 'P', description: '', visibility: 'public' };
    accepted(await mia.post('/v1/communities', place));
    accepted(await ada.post(`/v1/communities/${slug}/members`));
    accepted(await mia.post('/v1/communities', { ...place, slug: 'secret-of-mia', visibility: 'encrypted' }));
    const text = { title: 'T', body: 'B' };
    const postId = accepted(await mia.post('/v1/posts', { ...text, communitySlug: slug })).post.postId;
    accepted(await mia.post('/v1/posts', { ...text, title: 'F', finding: finding() }));
    const solved = await ask(ada, 1);
    const replyId = await reply(mia, solved);
    accepted(await solve(ada, solved, replyId), 200);
    await ask(mia, 1, { communitySlug: slug });
    await reply(ada, postId);
    await vote(mia, solved);
    await vote(ada, postId);
    const challenge = await challenges.openChallenge(forum, ada);
    accepted(await challenges.submit(mia, challenge, challenges.SOLUTION));
    challenges.close(forum, challenge);
    accepted(await challenges.score(ada, challenge), 200);
    await challenges.declare(forum, mia);
    await propose(forum, mia, 'Be kind');
    const { feedbackId } = accepted(await mia.post('/v1/feedback', { kind: 'bug', ...text })).feedback;
    accepted(await ada.post('/v1/watches', { kind: 'author', value: mia.handle }));
    accepted(await ada.post('/v1/mutes', { targetId: mia.agentId }), 200);
    const report = { targetType: 'agent', targetId: mia.agentId, category: 'spam' };
    accepted(await bob.post('/v1/reports', report));
    const scopes = ['remove_content', 'suspend_agent'];
    accepted(await forum.operator.post('/v1/governance/moderators', { agentId: mia.agentId, scopes }));
    const removal = { action: 'remove_content', targetType: 'post', targetId: await ask(bob), reason: 'R' };
    const { eventId } = accepted(await mia.post('/v1/moderation/actions', removal));
    const challengeId = challenge.path.split('/').at(-1)!;
    return { slug, postId, replyId, challengeId, feedbackId, governanceEventId: eventId };
  }

  /** The bodies of all reads, by everybody, and of all pages. */
  async function seenBy(mia: TestAgent, ids: Record<string, string>): Promise<Map<string, string>> {
    const { agentId, handle } = mia;
    const date = new Date(forum.api.clock.now()).toISOString().slice(0, 10);
    const values: Record<string, string> = { ...ids, agentId, handle, agentIdOrHandle: agentId, date, text: 'x' };
    const filled = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'none');
    const queries: Record<string, readonly string[]> = {
      'agent.list': ['order=newest', 'order=karma', 'order=active'],
      'post.list': [`author=${handle}`, `community=${ids.slug}`, 'order=active'],
      'search.find': ['q=mark-', 'q=mark-skill', 'q=erased-', `author=${handle}`],
      'search.replies': [`author=${handle}`],
      'governance.events': [`targetId=${agentId}`],
      'feedback.list': [`author=${agentId}`],
    };
    const seen = new Map<string, string>();
    for (const op of OPERATIONS) {
      if (op.kind !== 'read' || op.method === 'POST') continue;
      for (const query of ['', ...(queries[op.name] ?? [])]) {
        const signers = op.auth === 'public' ? {} : { ada, mia, operator: forum.operator };
        for (const [who, agent] of Object.entries(signers)) {
          const { body } = await agent.signed('GET', filled(op.path), { query });
          seen.set(`${op.name} ${query} by ${who}`, JSON.stringify(body));
        }
        const { body } = await ada.anonymous('GET', filled(op.path), { query });
        seen.set(`${op.name} ${query} by nobody`, JSON.stringify(body));
      }
    }
    for (const page of PAGES) {
      const formats = (Object.keys(FORMATS) as Format[]).filter((format) => page.feed || !isFeed(format));
      for (const format of formats.filter((each) => each !== 'image')) {
        const { text } = await exchange(`${forum.url}${inFormat(filled(page.path), format)}`, {
          headers: { accept: 'text/html' },
        });
        seen.set(`${page.name} ${format}`, text);
      }
    }
    const params = { name: 'get_agent', arguments: { handle } };
    const called = await ada.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    seen.set('mcp', JSON.stringify(called.body));
    return seen;
  }

  /** Tables with one of these texts, in text or in bytes. */
  async function tablesWith(...words: readonly string[]): Promise<string[]> {
    const patterns = words.flatMap((each) => [`%${each}%`, `%${Buffer.from(each).toString('hex')}%`]);
    const tables = await forum.rows<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    );
    const found = [];
    for (const { name } of tables) {
      const rows = await forum.rows(`SELECT FROM ${name} t WHERE t::text ILIKE ANY ($1) LIMIT 1`, [patterns]);
      if (rows.length > 0) found.push(name);
    }
    return found;
  }

  it('leaves its texts in no read, page or table but the leaf; key, ordinal and leaves stay', async () => {
    const mia = unregistered();
    await registerMarked(mia);
    const ids = await actEverywhere(mia);
    await settled();
    await eventually(async () => (await forum.rows('SELECT FROM outbox')).length === 0);
    const leaves = await forum.rows<{ index: number }>(
      `SELECT l.leaf_index::integer AS index FROM log_leaves l JOIN write_evidence e ON e.evidence_id = l.evidence_id
       WHERE e.agent_id = $1 AND e.operation = 'agent.register'`,
      [mia.agentId],
    );
    const index = leaves[0]!.index;
    const before = await seenBy(mia, { ...ids, index: String(index) });
    const shown = [...before].filter(([, text]) => MARK.test(text)).map(([name]) => name);
    assert.ok(shown.length > 60, `${shown.length}: ${shown.join('\n')}`);
    const card = accepted(await ada.get(`/v1/agents/${mia.handle}`), 200);
    const leaf = await entryOf(index);

    const event = accepted(await erase(mia));
    assert.deepEqual([event.kind, event.targetType, event.targetId], ['erase_content', 'agent', mia.agentId]);
    assert.match(event.targetHandle, /^erased-[a-z0-9]{12}$/);
    assert.equal((await ada.get(`/v1/agents/${mia.handle}`)).status, 404);
    mia.handle = event.targetHandle;
    const after = await seenBy(mia, { ...ids, index: String(index) });
    assert.deepEqual(
      [...after].filter(([, text]) => MARK.test(text)).map(([name]) => name),
      [],
    );
    const erased = accepted(await ada.get(`/v1/agents/${mia.handle}`), 200);
    const self_description = { display_name: '', purpose: '', capabilities: [] };
    assert.deepEqual(erased, {
      ...card,
      handle: mia.handle,
      displayName: '',
      description: '',
      capabilities: [],
      identity: { ...card.identity, self_description, client: {}, signature: '' },
      links: erased.links,
    });
    for (const page of ['', '.md', '.atom']) {
      const { text } = await exchange(`${forum.url}/a/${mia.handle}${page}`, { headers: {} });
      if (page !== '.atom') assert.match(text, /were erased/);
    }
    assert.match((await exchange(`${forum.url}/agents.atom`, { headers: {} })).text, /\[erased\]/);

    await settled();
    const { entry, withheld, act: place, ...rest } = await entryOf(index);
    assert.deepEqual([entry, withheld, 'salt' in rest, 'evidence' in rest], [leaf.entry, 'erased', false, false]);
    const proof = accepted(await ada.anonymous('GET', `/v1/governance/events/${event.eventId}/proof`), 200);
    assert.equal(proof.act.tlogProof.split('\n')[1], `index ${place}`);
    await eventually(async () => (await tablesWith(...Object.values(ELSEWHERE))).length === 0).catch(async () =>
      assert.deepEqual(await tablesWith(...Object.values(ELSEWHERE)), []),
    );
    assert.deepEqual(await tablesWith(...Object.values(IN_LEAF), card.identity.signature), ['public.log_tiles']);
    const [{ hash }] = (await forum.rows('SELECT encode(handle_hash, $1) AS hash FROM erased_agents', ['hex'])) as [
      { hash: string },
    ];
    assert.equal(hash, createHash('sha256').update(IN_LEAF.handle).digest('hex'));

    // The key still signs.
    const { post } = accepted(await mia.post('/v1/posts', { title: 'Still', body: 'here' }));
    assert.equal(post.author.handle, mia.handle);
    assert.equal(accepted(await mia.get('/v1/greeting'), 200).agent.handle, mia.handle);
    const [notice] = accepted(await mia.get('/v1/inbox', 'type=moderation'), 200).items.slice(-1);
    assert.equal(notice.link, `/v1/governance/events/${event.eventId}`);
  });

  it('verifies from outside: the log, its moderation actions, and an export', async () => {
    const client = new ForumClient({ baseUrl: forum.url });
    const trust = { log: await stranger.verifier() };
    const eve = await forum.agent();
    await settled();
    accepted(await erase(eve));
    await settled();
    const { log } = await verifyActs(client, (path) => client.readBytes(`/log/${path}`), trust);
    assert.ok(log.withheld.has('agent', eve.agentId, 'erased'));
    assert.ok(!log.withheld.names().some((name) => /^agent .* removed$/.test(name)));
    const directory = await mkdtemp(join(tmpdir(), 'forum-erased-'));
    try {
      const { db, config } = forum.api.services;
      await exportForum(db, config, join(directory, 'export'));
      const { withheld } = await verifyExport(join(directory, 'export'), trust);
      assert.ok(withheld.erased! > 0);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('happens once, spares the operator, and keeps the handle from others', async () => {
    const eve = await forum.agent('eve-the-first');
    await settled();
    const { eventId } = accepted(await erase(eve));
    const again = await erase(eve);
    assert.deepEqual([again.status, again.body.eventId], [200, eventId]);
    refused(await erase(forum.operator), 403, { error: 'forbidden' });
    refused(await erase(unregistered()), 404, { error: 'not_found' });
    refused(await register(unregistered(), 'eve-the-first'), 409, { error: 'conflict', field: 'handle' });
    accepted(await register(unregistered(), 'eve-the-f1rst'));
    assert.equal((await register(eve, 'eve-the-second')).body.error, 'conflict');
    // A process of 1.1.0 looks only at handles in use.
    await assert.rejects(
      forum.rows(
        `INSERT INTO agents SELECT 'ag1-x', 'eve-the-first', 1000, '', '', 'k', 'k', 'k', '{}', now()
         WHERE NOT EXISTS (SELECT FROM agents WHERE handle = 'eve-the-first')`,
      ),
      { code: 'AF409' },
    );
    // Suspension is another matter, before and after.
    await act(forum, 'suspend_agent', 'agent', eve.agentId);
    assert.equal((await erase(eve)).status, 200);
    await act(forum, 'reinstate_agent', 'agent', eve.agentId);
  });

  it('is complete with concurrent erasures, registrations, watches, posts and key changes', async () => {
    for (let round = 0; round < 4; round++) {
      const handle = `race-${round}-${randomBytes(4).toString('hex')}`;
      const eve = await forum.agent(handle);
      await settled();
      const watchers = await Promise.all([forum.agent(), forum.agent()]);
      const answers = await Promise.all([
        erase(eve),
        register(unregistered(), handle),
        ...watchers.map((each) => each.post('/v1/watches', { kind: 'author', value: handle })),
        eve.post('/v1/posts', { title: 'T', body: 'B' }),
        sendRotation(eve, rotation(eve, eve.withKey())),
        erase(eve),
        register(unregistered(), handle),
      ]);
      assert.ok(answers.every(({ status }) => status < 500));
      assert.deepEqual(answers.flatMap(({ status }, n) => ([0, 6].includes(n) ? [status] : [])).toSorted(), [200, 201]);
      for (const n of [1, 7]) refused(answers[n]!, 409, { error: 'conflict', field: 'handle' });
      const [agent] = await forum.rows<{ handle: string }>('SELECT handle FROM agents WHERE agent_id = $1', [
        eve.agentId,
      ]);
      assert.match(agent!.handle, /^erased-/);
      const watched = await forum.rows<{ value: string }>('SELECT value FROM watches WHERE sought = $1', [eve.agentId]);
      assert.ok(watched.every(({ value }) => value === agent!.handle));
      const counts = await forum.rows(
        `SELECT (SELECT count(*)::integer FROM agents WHERE handle = $1) AS holders,
           (SELECT count(*)::integer FROM erased_agents WHERE agent_id = $2) AS erasures,
           (SELECT count(*)::integer FROM governance_events WHERE target_id = $2) AS events,
           (SELECT count(*)::integer FROM write_evidence WHERE agent_id = $2 AND operation = 'agent.register') AS evidence`,
        [handle, eve.agentId],
      );
      assert.deepEqual(counts, [{ holders: 0, erasures: 1, events: 1, evidence: 0 }]);
      await settled();
      await eventually(async () => (await tablesWith(handle)).join() === 'public.log_tiles').catch(async () =>
        assert.deepEqual(await tablesWith(handle), ['public.log_tiles']),
      );
    }
  });

  it('waits for the leaf, and leaves it the same if the log is cut and made again', async () => {
    const small = await startForum();
    try {
      const { db } = small.api.services;
      const target = { targetType: 'agent', targetId: (await small.agent('eve-to-cut')).agentId };
      refused(await enforce(small, 'erase_content', target), 409, { error: 'conflict' });
      const sequenced = () => db.inTransaction(async (held) => sequence(held, (await holdHead(held))!, '0'));
      const leaf = async () => (await small.rows<{ text: string }>(LEAF, ['%eve-to-cut%']))[0]?.text;
      await sequenced();
      const before = await leaf();
      assert.ok(before);
      accepted(await enforce(small, 'erase_content', target));
      await db.inTransaction(async (held) => {
        await holdHead(held);
        await cut(held, 0);
        await moveHead(held, { size: 0, agents: 0, acts: 0, keys: 0, lastAct: null });
      });
      assert.equal(await leaf(), undefined);
      refused(await enforce(small, 'erase_content', { ...target, targetId: (await small.agent()).agentId }), 409, {
        error: 'conflict',
      });
      await sequenced();
      assert.equal(await leaf(), before);
      assert.deepEqual(await db.inTransaction(verifyStoredLog, { snapshot: true }), []);
    } finally {
      await small.stop();
    }
  });
});
