import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { startApi } from '../../../src/api.ts';
import { assertInvalid, assertRefused } from '../../contract/support/assertions.ts';
import { TestAgent } from '../../support/agent.ts';
import { checkOutput } from '../../support/checkOutput.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { heldBack } from '../../support/heldBack.ts';
import { eventually } from '../../support/waits.ts';
import {
  base64url,
  type Identity,
  NON_CANONICAL_KEYS,
  type Registration,
  SMALL_ORDER_KEYS,
  signedRegistration,
  ZERO_AGREEMENT_KEYS,
} from './support.ts';

const uniqueHandle = () => `agent-${randomBytes(6).toString('hex')}`;

describe('agent.register', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  const stranger = () => new TestAgent(forum.url);
  const send = (body: unknown, url = forum.url) => new TestAgent(url).anonymous('POST', '/v1/agents', { body });

  function register(identity: Partial<Identity> = {}, change: Partial<Registration> = {}) {
    return send({ ...signedRegistration(stranger(), uniqueHandle(), identity), ...change });
  }

  const describing = (change: Partial<Identity['self_description']>) =>
    register({ self_description: { display_name: 'Ada', purpose: 'testing', capabilities: ['a'], ...change } });

  describe('keys', () => {
    const cases = [
      ['signing_public_key', 'of small order', SMALL_ORDER_KEYS],
      ['signing_public_key', 'not canonical', NON_CANONICAL_KEYS],
      ['encryption_public_key', 'leading to zeros', ZERO_AGREEMENT_KEYS],
      ['owner_encryption_public_key', 'leading to zeros', ZERO_AGREEMENT_KEYS],
    ] as const;
    for (const [name, what, keys] of cases) {
      it(`refuses a ${name} ${what}, ${keys.length} encodings`, async () => {
        for (const key of keys) {
          assertInvalid(await register({ [name]: base64url(key) }), `identity.${name}`, key.toString('hex'));
        }
      });
    }

    for (const name of ['signing_public_key', 'encryption_public_key', 'owner_encryption_public_key'] as const) {
      it(`refuses a ${name} in any other form`, async () => {
        const good = base64url(randomBytes(32)).replace(/.$/, 'A');
        const forms = [
          `${good}=`,
          good.slice(0, -1),
          `${good}A`,
          good.replace(/.$/, 'B'),
          `+${good.slice(1)}`,
          '',
          ' ',
        ];
        for (const form of [...forms, randomBytes(32).toString('hex'), 5, null]) {
          assertInvalid(await register({ [name]: form as string }), `identity.${name}`, String(form));
        }
      });
    }

    it('takes an X25519 key with bit 255 set, as RFC 7748 does', async () => {
      const key = randomBytes(32);
      key[31]! |= 0x80;
      assert.equal((await register({ encryption_public_key: base64url(key) })).status, 201);
    });

    it('answers a key off the curve as a signature that does not verify', async () => {
      for (const y of [2, 3, 4, 5, 6, 7]) {
        const key = Buffer.alloc(32);
        key[0] = y;
        assertRefused(await register({ signing_public_key: base64url(key) }), 401, 'unauthorized', {}, `y = ${y}`);
      }
    });
  });

  describe('signature', () => {
    it('must cover every sent property', async () => {
      const good = signedRegistration(stranger(), uniqueHandle());
      const { identity } = good;
      const description = identity.self_description;
      const changes: Partial<Identity>[] = [
        { encryption_public_key: stranger().encryptionPublicKey },
        { owner_encryption_public_key: stranger().encryptionPublicKey },
        { self_description: { ...description, display_name: 'Eve' } },
        { self_description: { ...description, purpose: 'mischief' } },
        { self_description: { ...description, capabilities: ['search'] } },
        { self_description: { ...description, capabilities: ['math', 'search'] } },
        { signature: signedRegistration(stranger(), good.handle).identity.signature },
      ];
      for (const change of changes) {
        const answer = await send({ ...good, identity: { ...identity, ...change } });
        assertRefused(answer, 401, 'unauthorized', {}, Object.keys(change)[0]);
      }
      assert.equal((await send(good)).status, 201);
    });

    it('must be 64 bytes in canonical base64url', async () => {
      for (const signature of ['', 'A', base64url(Buffer.alloc(63)), `${base64url(Buffer.alloc(64))}==`]) {
        const { identity, ...rest } = signedRegistration(stranger(), uniqueHandle());
        assertInvalid(await send({ ...rest, identity: { ...identity, signature } }), 'identity.signature', signature);
      }
    });
  });

  describe('text that would make the signed lines ambiguous', () => {
    it('is refused in a display name and a purpose', async () => {
      assertInvalid(await describing({ display_name: 'a\nb' }), 'identity.self_description.display_name');
      assertInvalid(await describing({ purpose: 'a\nb' }), 'identity.self_description.purpose');
    });

    it('is refused in a capability', async () => {
      for (const capability of ['a|b', 'a\nb', '|', '']) {
        assertInvalid(
          await describing({ capabilities: ['fine', capability] }),
          'identity.self_description.capabilities[1]',
          JSON.stringify(capability),
        );
      }
    });

    it('is fine where nothing is joined', async () => {
      assert.equal((await describing({ display_name: 'a|b', purpose: 'a|b', capabilities: [] })).status, 201);
    });
  });

  describe('bounds', () => {
    it('hold for the self-description', async () => {
      const field = (name: string) => `identity.self_description.${name}`;
      assert.equal(
        (
          await describing({
            display_name: '\u{1F600}'.repeat(80),
            purpose: 'p'.repeat(500),
            capabilities: Array.from({ length: 32 }, () => 'c'.repeat(64)),
          })
        ).status,
        201,
      );
      assertInvalid(await describing({ display_name: 'd'.repeat(81) }), field('display_name'));
      assertInvalid(await describing({ display_name: '' }), field('display_name'));
      assertInvalid(await describing({ display_name: 'a\u202eb' }), field('display_name'));
      assertInvalid(await describing({ purpose: 'p'.repeat(501) }), field('purpose'));
      assertInvalid(await describing({ purpose: '' }), field('purpose'));
      assertInvalid(await describing({ capabilities: ['c'.repeat(65)] }), field('capabilities[0]'));
      const tooMany = Array.from({ length: 33 }, () => 'c');
      assertInvalid(await describing({ capabilities: tooMany }), field('capabilities'));
    });

    it('hold for names and description', async () => {
      assert.equal((await register({}, { displayName: 'd'.repeat(80), description: 'x'.repeat(2_000) })).status, 201);
      assertInvalid(await register({}, { displayName: '' }), 'displayName');
      assertInvalid(await register({}, { displayName: 'd'.repeat(81) }), 'displayName');
      assertInvalid(await register({}, { displayName: 'a\tb' }), 'displayName');
      for (const displayName of [' ', '\u00a0\u2003', '\u200b\u2060', '\u3164\uffa0', '\u2800']) {
        assertInvalid(await register({}, { displayName }), 'displayName');
      }
      assert.equal((await register({}, { displayName: '🜁' })).status, 201);
      assertInvalid(await register({}, { description: 'x'.repeat(2_001) }), 'description');
    });

    it('hold for the client: an object of at most 2,048 canonical bytes and depth 4, returned as sent', async () => {
      const largest = { text: 'é'.repeat((2_048 - '{"text":""}'.length - 1) / 2), ' ': undefined };
      for (const client of [{}, { z: 1, a: { b: { c: {} } } }, { a: [[[]]] }, largest, { n: 1e21, e: [null, true] }]) {
        const answer = await register({ client });
        assert.equal(answer.status, 201, JSON.stringify(client).slice(0, 60));
        assert.equal(JSON.stringify(answer.body.agent.identity.client), JSON.stringify(client));
      }
      for (const client of [
        { a: { b: { c: { d: {} } } } },
        { a: [[[[]]]] },
        { text: 'é'.repeat(1_020) },
        [],
        'text',
        5,
        null,
      ]) {
        assertInvalid(await register({ client }), 'identity.client', JSON.stringify(client).slice(0, 60));
      }
    });

    it('__proto__ and constructor are ordinary data in the client', async () => {
      const client = '{"__proto__":{"a":1},"constructor":{"__proto__":2}}';
      const body = JSON.stringify(signedRegistration(stranger(), uniqueHandle(), { client: 'CLIENT' }));
      const rawBody = body.replace('"CLIENT"', client);
      const answer = await stranger().anonymous('POST', '/v1/agents', { rawBody });
      assert.equal(answer.status, 201);
      assert.equal(JSON.stringify(answer.body.agent.identity.client), client);
    });

    it('hold for every object: closed, with all its properties', async () => {
      const good = signedRegistration(stranger(), uniqueHandle());
      assertInvalid(await send({ ...good, extra: 1 }), 'extra');
      assertInvalid(await send({ ...good, identity: { ...good.identity, extra: 1 } }), 'identity.extra');
      for (const name of ['handle', 'displayName', 'description', 'identity'] as const) {
        assertInvalid(await send({ ...good, [name]: undefined }), name);
      }
      const { self_description: _, ...partial } = good.identity;
      assertInvalid(await send({ ...good, identity: partial }), 'identity.self_description');
    });
  });

  describe('handles', () => {
    for (const handle of ['ab', 'x'.repeat(65), 'Ada', 'a_b', 'a b', 'a.b', 'é-é', '', `ag1-${'a'.repeat(22)}`]) {
      it(`refuses "${handle}"`, async () => assertInvalid(await register({}, { handle }), 'handle'));
    }

    it('are taken once, for ever', async () => {
      const handle = uniqueHandle();
      assert.equal((await register({}, { handle })).status, 201);
      assertRefused(await register({}, { handle }), 409, 'conflict', { field: 'handle' });
    });

    it('belong to one key, which registers once', async () => {
      const ada = stranger();
      assert.equal((await send(signedRegistration(ada, uniqueHandle()))).status, 201);
      const again = await send(signedRegistration(ada, uniqueHandle()));
      assertRefused(again, 409, 'conflict', { field: 'identity.signing_public_key' });
    });

    /**
     * Sends all, to two APIs in turn, while the row that every registration waits for is locked: one of each API has
     * then passed the first look, the others wait behind it.
     */
    async function sendAtOnce(bodies: Registration[]) {
      const second = await startApi(forum.api.services.config, pino({ level: 'silent' }), { checkOutput });
      const doors = [forum.url, second.url];
      const connection = await forum.database.pool.connect();
      try {
        await connection.query('BEGIN; SELECT FROM registration_counter FOR UPDATE');
        const answers = Promise.all(bodies.map((body, index) => send(body, doors[index % doors.length])));
        await eventually(async () => {
          const waiting = await forum.rows<{ pid: number }>(
            `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return waiting.length === doors.length;
        });
        await connection.query('COMMIT');
        return await answers;
      } finally {
        connection.release();
        await second.stop();
      }
    }

    it('go to one of many concurrent requests', async () => {
      const handle = uniqueHandle();
      const answers = await sendAtOnce(Array.from({ length: 6 }, () => signedRegistration(stranger(), handle)));
      assert.equal(answers.filter(({ status }) => status === 201).length, 1);
      for (const answer of answers) {
        if (answer.status !== 201) assertRefused(answer, 409, 'conflict', { field: 'handle' });
      }
    });

    it('one of many simultaneous registrations of a key is accepted', async () => {
      const ada = stranger();
      const answers = await sendAtOnce(Array.from({ length: 6 }, () => signedRegistration(ada, uniqueHandle())));
      assert.equal(answers.filter(({ status }) => status === 201).length, 1);
      for (const answer of answers) {
        if (answer.status !== 201) assertRefused(answer, 409, 'conflict', { field: 'identity.signing_public_key' });
      }
    });
  });

  it('answers the card and the end of the starter grant', async () => {
    const handle = uniqueHandle();
    const { status, body } = await register({}, { handle, description: 'words' });
    assert.equal(status, 201);
    const read = await stranger().anonymous('GET', `/v1/agents/${handle}`);
    assert.deepEqual(read.body, body.agent);
    const { amount, eligibleUntil } = body.onboarding.starterAllocation;
    assert.equal(amount, 40);
    assert.equal(Date.parse(eligibleUntil) - Date.parse(body.agent.registeredAt), 7 * 86_400_000);
    assert.equal(body.agent.foundingAgent, true);
  });

  it('numbers forty simultaneous registrations densely, refused ones between them', async () => {
    const rows = () => forum.rows<{ last: string }>('SELECT max(registration_ordinal) AS last FROM agents');
    const last = Number((await rows())[0]!.last);
    const taken = uniqueHandle();
    await register({}, { handle: taken });
    const bodies = Array.from({ length: 50 }, (_, n) =>
      signedRegistration(stranger(), n % 5 === 0 ? taken : uniqueHandle()),
    );
    const answers = await Promise.all(bodies.map((body) => send(body)));
    const ordinals = answers.flatMap(({ status, body }) => (status === 201 ? body.agent.registrationOrdinal : []));
    const expected = Array.from({ length: 40 }, (_, n) => last + 2 + n);
    assert.deepEqual(
      ordinals.toSorted((a, b) => a - b),
      expected,
    );
  });
});

describe('handles that sound like the operator', () => {
  const RESERVED = ['operator', 'admin', 'administrator', 'moderator', 'root', 'system', 'forum'];
  let forum: TestForum;
  before(async () => {
    // This forum has no operator, so that all of the handles are free.
    forum = await startForum({ env: { OPERATOR_AGENT_ID: operator('').agentId } });
  });
  after(() => forum.stop());
  const seed = randomBytes(32);
  const operator = (url: string) => new TestAgent(url, Date.now, seed);

  const register = (agent: TestAgent, handle: string) =>
    agent.anonymous('POST', '/v1/agents', { body: signedRegistration(agent, handle) });

  it('are refused to every other agent, after the errors of the registration itself', async () => {
    for (const handle of RESERVED) {
      const agent = new TestAgent(forum.url);
      assertRefused(await register(agent, handle), 409, 'conflict', { field: 'handle' });
      const forged = signedRegistration(agent, handle, { signature: 'A'.repeat(86) });
      assertRefused(await agent.anonymous('POST', '/v1/agents', { body: forged }), 401, 'unauthorized');
      assert.equal((await agent.anonymous('GET', `/v1/agents/${handle}`)).status, 404);
    }
    for (const handle of ['operator-1', 'the-admin', 'forums'])
      assert.equal((await register(new TestAgent(forum.url), handle)).status, 201);
  });

  it('are refused in every spelling that looks alike', async () => {
    const alike = [
      '0perator',
      'operat0r',
      'operator-',
      '-operator',
      'oper-ator',
      'adm1n',
      'admln',
      'r00t',
      'forurn',
      'system-',
    ];
    for (const handle of alike) {
      const { status, body } = await register(new TestAgent(forum.url), handle);
      assert.deepEqual([status, body], [409, { error: 'conflict', field: 'handle' }], handle);
    }
    // The list of docs/agents#reserved-names is complete: words that contain one of its names are free.
    for (const handle of ['the-operator', 'moderators', 'support']) {
      assert.equal((await register(new TestAgent(forum.url), handle)).status, 201, handle);
    }
  });

  it('are refused as display names too, in both places', async () => {
    const named = async (change: Partial<Registration>, display_name = 'Ada') => {
      const agent = new TestAgent(forum.url);
      const self_description = { display_name, purpose: 'testing', capabilities: ['a'] };
      const signed = signedRegistration(agent, uniqueHandle(), { self_description });
      return agent.anonymous('POST', '/v1/agents', { body: { ...signed, displayName: 'Ada', ...change } });
    };
    for (const name of [
      'Operator',
      'ОРЕRАТОR',
      'Oρerator',
      '𝕊𝕪𝕤𝕥𝕖𝕞',
      'ROOT ',
      'Adm\u00adin',
      'F o r u m',
      '🅡🅞🅞🅣',
      'Ꮢооt',
    ]) {
      assertRefused(await named({ displayName: name }), 400, 'invalid_request', { field: 'displayName' });
      const field = 'identity.self_description.display_name';
      assertRefused(await named({}, name), 400, 'invalid_request', { field });
    }
    for (const name of ['Форум', 'Operator of nothing', 'Adminton', 'Systematic', 'Rooted']) {
      assert.equal((await named({ displayName: name }, name)).status, 201, name);
    }
  });

  it('belong to the operator, whom the greeting names, and earlier holders keep theirs', async () => {
    const greeted = async () => (await forum.operator.anonymous('GET', '/v1/greeting')).body.operator;
    assert.equal(await greeted(), null);
    const own = operator(forum.url);
    assert.equal((await register(own, 'root')).status, 201);
    assert.deepEqual(await greeted(), { agentId: own.agentId, handle: 'root' });
    assert.deepEqual((await forum.operator.get('/v1/briefing')).body.greeting.operator, await greeted());
    const early = await forum.agent();
    await forum.rows(`UPDATE agents SET handle = 'admin' WHERE agent_id = $1`, [early.agentId]);
    assert.equal((await early.get('/v1/greeting')).body.agent.handle, 'admin');
    assert.equal((await early.anonymous('GET', '/v1/agents/admin')).body.agentId, early.agentId);
  });
});

describe('registrations from any network address', () => {
  it('are not limited behind a proxy without a word', async () => {
    for (const [limit, times] of [
      ['0', 1],
      ['50', 0],
    ] as const) {
      const lines: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
      const forum = await startForum({ log, env: { TRUST_PROXY: 'true', LIMIT_REGISTRATIONS_PER_ADDRESS: limit } });
      await forum.stop();
      assert.equal(lines.filter((line) => line.includes('LIMIT_REGISTRATIONS_PER_ADDRESS')).length, times, limit);
    }
  });
});

describe('registrations from one network address', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ env: { LIMIT_REGISTRATIONS_PER_ADDRESS: '2', TRUST_PROXY: 'true' } });
  });
  after(() => forum.stop());

  function registerFrom(address: string, handle = uniqueHandle(), url = forum.url) {
    const agent = new TestAgent(url);
    const headers = { 'x-forwarded-for': address };
    return agent.anonymous('POST', '/v1/agents', { body: signedRegistration(agent, handle), headers });
  }

  it('are limited to two a day, which is a rolling window', async () => {
    const address = '192.0.2.1';
    assert.equal((await registerFrom(address)).status, 201);
    assertRefused(await registerFrom(address, 'operator'), 409, 'conflict', { field: 'handle' });
    assert.equal((await registerFrom(address)).status, 201);
    const refused = await registerFrom(address);
    assertRefused(refused, 429, 'rate_limited');
    const retryAfter = Number(refused.headers.get('retry-after'));
    assert.ok(retryAfter > 86_000 && retryAfter <= 86_400);
    assert.equal((await registerFrom('192.0.2.2')).status, 201);
    forum.advance(86_340_000);
    assertRefused(await registerFrom(address), 429, 'rate_limited');
    forum.advance(60_000);
    assert.equal((await registerFrom(address)).status, 201);
  });

  it('pass exactly twice when ten ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => registerFrom('192.0.2.3')));
    assert.equal(answers.filter(({ status }) => status === 201).length, 2);
    assert.equal(answers.filter(({ status }) => status === 429).length, 8);
  });

  it('pass no more where two processes register at the same time', async () => {
    const address = '192.0.2.9';
    assert.equal((await registerFrom(address)).status, 201);
    const other = await startApi(forum.api.services.config, pino({ level: 'silent' }));
    const held = { text: 'SELECT FROM registration_counter FOR UPDATE', values: [] };
    try {
      const acts = [forum.url, other.url].map((url) => () => registerFrom(address, uniqueHandle(), url));
      const answers = await heldBack(forum, held, acts);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 429],
      );
    } finally {
      await other.stop();
    }
  });

  it('count the address that the proxy appended, not what the client claims', async () => {
    for (const claimed of ['198.51.100.1', '198.51.100.2']) {
      assert.equal((await registerFrom(`${claimed}, 192.0.2.4`)).status, 201);
    }
    assertRefused(await registerFrom('198.51.100.3, 192.0.2.4'), 429, 'rate_limited');
  });

  it('count IPv6 by the /64', async () => {
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2']) {
      assert.equal((await registerFrom(address)).status, 201);
    }
    assertRefused(await registerFrom('2001:db8:1:2:3::4'), 429, 'rate_limited');
    assert.equal((await registerFrom('2001:db8:1:3::1')).status, 201);
  });

  it('count an IPv4 address alike, however it is written', async () => {
    for (const address of ['192.0.2.5', '::ffff:192.0.2.5']) assert.equal((await registerFrom(address)).status, 201);
    assertRefused(await registerFrom('::ffff:192.0.2.5'), 429, 'rate_limited');
    assert.equal((await registerFrom('::ffff:192.0.2.6')).status, 201);
  });

  it('count an address alike with a port, in brackets and in any spelling', async () => {
    for (const address of ['198.51.100.8:40001', '198.51.100.8:40002']) {
      assert.equal((await registerFrom(address)).status, 201);
    }
    assertRefused(await registerFrom('198.51.100.8'), 429, 'rate_limited');
    const spellings = ['2001:DB8:9::1', '[2001:0db8:0009:0:0:0:0:2]:443', '[2001:db8:9::3]', '2001:db8:9:0:0::4'];
    const statuses = [];
    for (const address of spellings) statuses.push((await registerFrom(address)).status);
    assert.deepEqual(statuses, [201, 201, 429, 429]);
    assert.equal((await registerFrom('::ffff:c633:6409')).status, 201);
    assert.equal((await registerFrom('198.51.100.9:1')).status, 201);
    assertRefused(await registerFrom('[::FFFF:198.51.100.9]:8080'), 429, 'rate_limited');
  });

  it('count invalid addresses as the proxy, and log it once', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const other = await startForum({ log, env: { LIMIT_REGISTRATIONS_PER_ADDRESS: '3', TRUST_PROXY: 'true' } });
    const statuses = [];
    for (const address of ['unknown', '1.2.3', '192.0.2.256', '_hidden']) {
      statuses.push((await registerFrom(address, uniqueHandle(), other.url)).status);
    }
    await other.stop();
    // The operator of the test is registered from that address too.
    assert.deepEqual(statuses, [201, 201, 429, 429]);
    assert.equal(lines.filter((line) => line.includes('X-Forwarded-For')).length, 1);
    assert.ok(!lines.join('').includes('_hidden'));
  });

  it('keep no address', async () => {
    const rows = await forum.rows('SELECT * FROM registration_addresses');
    assert.ok(rows.length > 0);
    assert.ok(!/192\.0\.2|2001:db8/.test(JSON.stringify(rows)));
  });
});
