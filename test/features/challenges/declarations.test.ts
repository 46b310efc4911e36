import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import {
  assertVerified,
  available,
  declaration,
  declare,
  give,
  MINUTE_MS,
  openChallenge,
  PROGRAM,
  refusal,
  SOLUTION,
} from './support.ts';

const DAY_MS = 86_400_000;

describe('challenge.create', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ env: { CHALLENGE_HORIZON_DAYS: '30', LIMIT_POSTS: '1000' } });
    ada = await forum.agent();
  });
  after(() => forum.stop());

  it('answers the read, with the award in escrow', async () => {
    const agent = await forum.agent();
    const sent = declaration(forum, { award: 12.345678 });
    const { status, body } = await agent.post('/v1/challenges', sent);
    assert.equal(status, 201);
    const { rateLimit, ...challenge } = body;
    assert.equal(rateLimit.name, 'posts');
    const { declarationHash, ...declared } = challenge.declaration;
    assert.deepEqual(declared, sent);
    assert.equal(declarationHash, independentHash(sent));
    assert.equal(challenge.state, 'declared');
    assert.equal(challenge.checkerGrammar, 'svc-checker-dsl-v0');
    assert.deepEqual(challenge.declarer, { agentId: agent.agentId, handle: agent.handle });
    assert.deepEqual(challenge.submissions, { count: 0 });
    assert.equal(challenge.scoring, null);
    assert.deepEqual(challenge.stakes, {
      total: 0,
      byOutcome: { solved: { amount: 0, stakers: 0 }, unsolved: { amount: 0, stakers: 0 } },
    });
    const { warnings, ...shown } = challenge;
    assert.deepEqual(warnings, []);
    assert.deepEqual((await agent.anonymous('GET', challenge.links.self)).body, shown);
    const karma = (await agent.get('/v1/karma')).body;
    assert.equal(karma.available, 27.654322);
    assert.equal(karma.escrowed, 12.345678);
    const [event] = (await agent.get('/v1/karma/events')).body.items;
    assert.equal(event.type, 'challenge_escrow');
    assert.equal(event.reference, challenge.challengeId);
    await assertVerified(forum);
  });

  it('normalises times to UTC milliseconds before hashing, and takes a declaration that was read as it is', async () => {
    const agent = await forum.agent();
    const opens = forum.api.clock.now() + MINUTE_MS;
    const local = new Date(opens + 2 * 3_600_000).toISOString().replace('Z', '999+02:00').toLowerCase();
    const first = await agent.post('/v1/challenges', declaration(forum, { stakingOpensAt: local.replace('t', 'T') }));
    assert.equal(first.status, 201, JSON.stringify(first.body));
    assert.equal(first.body.declaration.stakingOpensAt, new Date(opens).toISOString());
    const again = await agent.post('/v1/challenges', first.body.declaration);
    assert.equal(again.status, 201);
    assert.equal(again.body.declaration.declarationHash, first.body.declaration.declarationHash);
    assert.notEqual(again.body.challengeId, first.body.challengeId);
    const changed = { ...first.body.declaration, prompt: 'Find y' };
    assert.equal(refusal(await agent.post('/v1/challenges', changed)), '400 declaration_hash_mismatch declarationHash');
    const preview = await agent.anonymous('POST', '/v1/challenges/preview', { body: { challenge: changed } });
    assert.equal(refusal(preview), '400 declaration_hash_mismatch challenge.declarationHash');
  });

  it('refuses an award above the available karma before any record exists', async () => {
    const agent = await forum.agent();
    assert.equal(
      refusal(await agent.post('/v1/challenges', declaration(forum, { award: 40.000001 }))),
      '400 insufficient_karma',
    );
    assert.equal(await available(agent), 40);
    assert.deepEqual(await forum.rows('SELECT 1 FROM challenges WHERE declarer_id = $1', [agent.agentId]), []);
    assert.equal((await agent.post('/v1/challenges', declaration(forum, { award: 40 }))).status, 201);
    assert.equal(await available(agent), 0);
    await give(forum, agent, 50);
    assert.equal((await agent.post('/v1/challenges', declaration(forum, { award: 50 }))).status, 201);
  });

  const bounds: [string, Record<string, unknown>, string][] = [
    ['the longest prompt', { prompt: '😀'.repeat(4096) }, ''],
    ['a longer one', { prompt: 'p'.repeat(4097) }, 'invalid_request prompt'],
    ['an empty one', { prompt: '' }, 'invalid_request prompt'],
    ['no prompt', { prompt: undefined }, 'invalid_request prompt'],
    ['eight outcomes', { outcomes: ['solved', 'a', 'b', 'c', 'd', 'e', 'f', 'g'] }, ''],
    ['nine', { outcomes: ['solved', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }, 'invalid_request outcomes'],
    ['one', { outcomes: ['solved'] }, 'invalid_request outcomes'],
    ['one twice', { outcomes: ['solved', 'solved'] }, 'invalid_request outcomes'],
    ['void', { outcomes: ['solved', 'void'] }, 'invalid_request outcomes'],
    ['an empty outcome', { outcomes: ['solved', ''] }, 'invalid_request outcomes'],
    ['the longest outcome', { outcomes: ['solved', '_'.repeat(32)] }, ''],
    ['a longer outcome', { outcomes: ['solved', 'a'.repeat(33)] }, 'invalid_request outcomes'],
    ['a capital', { outcomes: ['solved', 'A'] }, 'invalid_request outcomes'],
    ['the smallest award', { award: 0.000001 }, ''],
    ['a seventh decimal', { award: 1.0000001 }, 'invalid_request award'],
    ['less than the smallest award', { award: 0.0000001 }, 'invalid_request award'],
    ['no award', { award: 0 }, 'invalid_request award'],
    ['the largest award', { award: 50 }, ''],
    ['a larger one', { award: 50.000001 }, 'invalid_request award'],
    ['a text for a number', { award: '5' }, 'invalid_request award'],
    ['a time without a zone', { scoringAt: '2999-01-01T00:00:00' }, 'invalid_request scoringAt'],
    ['no such day', { stakingOpensAt: '2999-02-29T00:00:00Z' }, 'invalid_request stakingOpensAt'],
    ['a declaration hash of another form', { declarationHash: 'x' }, 'invalid_request declarationHash'],
    ['no stamp', { declarationHash: null }, ''],
    ['another property', { extra: 1 }, 'invalid_request extra'],
    ['a program that is no object', { checkerProgram: [] }, 'invalid_request checkerProgram'],
  ];
  for (const [name, change, expected] of bounds) {
    it(`${expected === '' ? 'takes' : 'refuses'} ${name}`, async () => {
      const challenge = declaration(forum, change);
      const preview = await ada.anonymous('POST', '/v1/challenges/preview', { body: { challenge } });
      if (expected === '') {
        assert.deepEqual(preview.body, { valid: true, verdict: null, warnings: [] });
        return;
      }
      assert.equal(refusal(preview), `400 ${expected.replace(' ', ' challenge.')}`);
      assert.equal(refusal(await ada.post('/v1/challenges', challenge)), `400 ${expected}`);
    });
  }

  it('wants the opening in the future, the scoring after it, and both within the horizon', async () => {
    const now = forum.api.clock.now();
    const at = (ms: number) => new Date(ms).toISOString();
    const times: [number, number, string][] = [
      [now - 1, now + DAY_MS, 'stakingOpensAt'],
      [now + MINUTE_MS, now + MINUTE_MS, 'scoringAt'],
      [now + MINUTE_MS, now + 30 * DAY_MS + MINUTE_MS, 'scoringAt'],
    ];
    for (const [opens, scoring, field] of times) {
      const challenge = declaration(forum, { stakingOpensAt: at(opens), scoringAt: at(scoring) });
      assert.equal(refusal(await ada.post('/v1/challenges', challenge)), `400 invalid_request ${field}`);
      const preview = await ada.anonymous('POST', '/v1/challenges/preview', { body: { challenge } });
      assert.equal(refusal(preview), `400 invalid_request challenge.${field}`);
    }
    const latest = declaration(forum, { scoringAt: at(now + 30 * DAY_MS - 1) });
    assert.equal((await ada.anonymous('POST', '/v1/challenges/preview', { body: { challenge: latest } })).status, 200);
  });

  it('charges posts once, and nothing when refused', async () => {
    const agent = await forum.agent();
    const remaining = async () => (await agent.get('/v1/greeting')).body.rateLimits.counters.posts.remaining;
    await agent.post('/v1/challenges', declaration(forum, { award: 41 }));
    assert.equal(await remaining(), 1000);
    await declare(forum, agent);
    assert.equal(await remaining(), 999);
  });

  it('previews answers against drafts and published challenges', async () => {
    const agent = await forum.agent();
    const preview = (body: unknown) => agent.anonymous('POST', '/v1/challenges/preview', { body });
    const { challengeId } = await openChallenge(forum, agent);
    const read = (await agent.anonymous('GET', `/v1/challenges/${challengeId}`)).body;
    const solved = { valid: true, verdict: { outcome: 'solved', win: true, void: false }, warnings: [] };
    assert.deepEqual((await preview({ challengeId, answer: SOLUTION })).body, solved);
    const lost = { outcome: 'void', win: false, void: true };
    assert.deepEqual((await preview({ challengeId, answer: 7 })).body.verdict, lost);
    assert.deepEqual((await preview({ challengeId })).body, { valid: true, verdict: null, warnings: [] });
    assert.deepEqual((await preview({ challengeId, answer: null })).body.verdict, lost);
    assert.deepEqual((await preview({ challenge: declaration(forum), answer: null })).body.verdict, lost);
    const args = { name: 'preview_challenge', arguments: { challengeId, answer: null } };
    const called = await agent.anonymous('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: args },
    });
    assert.deepEqual(called.body.result.structuredContent.verdict, lost);
    assert.deepEqual((await preview({ challenge: declaration(forum), answer: SOLUTION })).body, solved);
    // Its opening is past, but it was read and is sent back as it is.
    assert.deepEqual((await preview({ challenge: read.declaration, answer: SOLUTION })).body, solved);
    assert.equal(refusal(await preview({})), '400 invalid_request challenge');
    assert.equal(
      refusal(await preview({ challengeId, challenge: declaration(forum) })),
      '400 invalid_request challengeId',
    );
    assert.equal(refusal(await preview({ challengeId: `ch_${'0'.repeat(25)}` })), '404 not_found');
    assert.equal(refusal(await preview({ challengeId: 'ch_1' })), '400 invalid_request challengeId');
    await forum.rows('UPDATE challenge_states SET vetoed_at = now() WHERE challenge_id = $1', [challengeId]);
    assert.equal(refusal(await preview({ challengeId, answer: SOLUTION })), '404 not_found');
    await forum.rows('UPDATE challenge_states SET vetoed_at = NULL WHERE challenge_id = $1', [challengeId]);
  });

  it('refuses answers that are too large or too deep', async () => {
    const preview = (answer: unknown) =>
      ada.anonymous('POST', '/v1/challenges/preview', { body: { challenge: declaration(forum), answer } });
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    assert.equal((await preview('x'.repeat(65_534))).status, 200);
    assert.equal(refusal(await preview('x'.repeat(65_535))), '400 too_large answer 65536');
    assert.equal((await preview(nested(32))).status, 200);
    assert.equal(refusal(await preview(nested(33))), '400 invalid_request answer');
  });

  it('shows its schema as a document', async () => {
    const { status, body } = await ada.anonymous('GET', '/schemas/challenge.json');
    assert.equal(status, 200);
    const six = ['prompt', 'checkerProgram', 'outcomes', 'award', 'stakingOpensAt', 'scoringAt'];
    assert.deepEqual(body.required.toSorted(), six.toSorted());
    assert.equal(body.additionalProperties, false);
    assert.equal(body.$defs.assertion.oneOf.length, 8);
    assert.deepEqual(Object.keys(body.properties).toSorted(), [...six, 'declarationHash'].toSorted());
  });
});

/** Every row of the table of assertions, at its bound and one past it (docs/challenges#checker-cookbook). */
describe('challenge.preview and the checker grammar', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  const exists = { assert: 'exists', path: 'a' };
  const leaf = (path: string) => ({ assert: 'exists', path });
  const matches = (pattern: string) => ({ assert: 'matches', path: 'a', pattern });
  const wrapped = (depth: number): unknown => (depth === 0 ? exists : { assert: 'all', of: [wrapped(depth - 1)] });
  const rulesOf = (...whens: unknown[]) => whens.map((when) => ({ when, outcome: 'solved' }));
  const fifteen = { assert: 'any', of: Array.from({ length: 15 }, () => exists) };
  const padded = (units: number) => {
    const rules = rulesOf(...Array.from({ length: 16 }, () => ({ assert: 'equals', path: 'a', value: '' })));
    let missing = units - JSON.stringify(rules).length;
    for (const { when } of rules as { when: { value: string } }[]) {
      when.value = 'x'.repeat(Math.min(missing, 510));
      missing -= when.value.length;
    }
    return rules;
  };
  const cases: [string, unknown[], unknown[], string?][] = [
    ['rules', rulesOf(...Array(16).fill(exists)), rulesOf(...Array(17).fill(exists)), 'rules'],
    ['at least one rule', rulesOf(exists), [], 'rules'],
    ['path segments', rulesOf(leaf('a.b.c.d.e.f.g.h')), rulesOf(leaf('a.b.c.d.e.f.g.h.i'))],
    ['a path segment', rulesOf(leaf('a'.repeat(64))), rulesOf(leaf('a'.repeat(65)))],
    [
      'types',
      rulesOf({ assert: 'is_type', path: 'a', type: 'null' }),
      rulesOf({ assert: 'is_type', path: 'a', type: 'date' }),
    ],
    [
      'an equals literal',
      rulesOf({ assert: 'equals', path: 'a', value: 'x'.repeat(510) }),
      rulesOf({ assert: 'equals', path: 'a', value: 'x'.repeat(511) }),
    ],
    [
      'len bounds',
      rulesOf({ assert: 'len', path: 'a', min: 0, max: 65_536 }),
      rulesOf({ assert: 'len', path: 'a', min: 0, max: 65_537 }),
    ],
    [
      'len in order',
      rulesOf({ assert: 'len', path: 'a', min: 2, max: 2 }),
      rulesOf({ assert: 'len', path: 'a', min: 3, max: 2 }),
    ],
    ['a pattern', rulesOf(matches('a'.repeat(256))), rulesOf(matches('a'.repeat(257)))],
    ['quantifiers', rulesOf(matches('a+b')), rulesOf(matches('(a)+'))],
    ['adjacent quantified atoms', rulesOf(matches('a*xb*')), rulesOf(matches('a*b*'))],
    [
      'a tolerance',
      rulesOf({ assert: 'within', path: 'a', value: 1, tolerance: 0 }),
      rulesOf({ assert: 'within', path: 'a', value: 1, tolerance: -1 }),
    ],
    [
      'children',
      rulesOf({ assert: 'any', of: Array(16).fill(exists) }),
      rulesOf({ assert: 'any', of: Array(17).fill(exists) }),
    ],
    ['a child', rulesOf({ assert: 'all', of: [exists] }), rulesOf({ assert: 'all', of: [] })],
    ['nesting', rulesOf(wrapped(4)), rulesOf(wrapped(5))],
    ['nodes', rulesOf(...Array(4).fill(fifteen)), rulesOf(...Array(4).fill(fifteen), exists), 'rules[4]'],
    ['closed assertions', rulesOf(exists), rulesOf({ ...exists, more: 1 })],
    ['the units of a program', padded(8192), padded(8193), 'rules'],
  ];
  for (const [name, good, bad, field = 'rules[0]'] of cases) {
    it(`bounds ${name}`, async () => {
      const previewed = (rules: unknown[]) => {
        const challenge = declaration(forum, { checkerProgram: { expectedOutcome: 'solved', rules } });
        return forum.operator.anonymous('POST', '/v1/challenges/preview', { body: { challenge } });
      };
      assert.deepEqual((await previewed(good)).body, { valid: true, verdict: null, warnings: [] });
      assert.equal(refusal(await previewed(bad)), `400 unsupported_checker_class ${field}`);
    });
  }

  it('names the rule or property at fault', async () => {
    const refused = async (checkerProgram: unknown) =>
      refusal(await forum.operator.post('/v1/challenges', declaration(forum, { checkerProgram })));
    const token = '400 unsupported_checker_class';
    const second = { when: { assert: 'equals', path: 'x' }, outcome: 'solved' };
    assert.equal(await refused({ ...PROGRAM, rules: [...PROGRAM.rules, second] }), `${token} rules[1]`);
    assert.equal(await refused({ ...PROGRAM, expectedOutcome: 'other' }), `${token} expectedOutcome`);
    assert.equal(await refused({ ...PROGRAM, defaultOutcome: 'void' }), `${token} defaultOutcome`);
    assert.equal(await refused({ ...PROGRAM, more: 1 }), `${token} more`);
    assert.equal(await refused({ rules: PROGRAM.rules }), `${token} expectedOutcome`);
  });
});

/** RFC 8785 for what these declarations hold: sorted keys, no exotic numbers or texts. */
function independentHash(declared: Record<string, unknown>): string {
  const sorted = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(sorted);
    const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
    return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  const text = JSON.stringify(sorted({ format: 'svc-challenge-declaration-v1', ...declared }));
  return createHash('sha256').update(text).digest('base64url');
}
