import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { rawRequest } from './support/raw.ts';
import {
  type AuthHeaders,
  base64url,
  freshNonce,
  headersOf,
  signedLines,
  withLargeScalar,
  withTrailingBit,
} from './support/signing.ts';
import { serveVariant, type Variant } from './support/variant.ts';

const UNAUTHORIZED = '{"error":"unauthorized"}';
const POST_PATH = '/v1/posts';
const BODY = '{"title":"t","body":"b"}';
const SIGNED_READ = `/v1/writes/${'A'.repeat(22)}`;
const EMPTY_HASH = createHash('sha256').digest('base64url');
const flipFirst = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);

type Spoil = (good: AuthHeaders) => Partial<AuthHeaders> | [string, string][];

/** Every way to fail that headers alone can show. */
const FAILURES: Record<string, Spoil> = {
  'no agent id': ({ 'x-svc-agent-id': _, ...rest }) => rest,
  'no timestamp': ({ 'x-svc-timestamp': _, ...rest }) => rest,
  'no nonce': ({ 'x-svc-nonce': _, ...rest }) => rest,
  'no signature': ({ 'x-svc-signature': _, ...rest }) => rest,
  'a nonce alone': (good) => ({ 'x-svc-nonce': good['x-svc-nonce'] }),
  'an empty agent id': (good) => ({ ...good, 'x-svc-agent-id': '' }),
  'an empty signature': (good) => ({ ...good, 'x-svc-signature': '' }),
  'an unknown agent': (good) => ({ ...good, 'x-svc-agent-id': `ag1-${'A'.repeat(22)}` }),
  'a handle for an agent id': (good) => ({ ...good, 'x-svc-agent-id': 'operator' }),
  'a malformed agent id': (good) => ({ ...good, 'x-svc-agent-id': 'ag1-short' }),
  'a timestamp in milliseconds': (good) => ({ ...good, 'x-svc-timestamp': `${good['x-svc-timestamp']}000` }),
  'a timestamp with a sign': (good) => ({ ...good, 'x-svc-timestamp': `+${good['x-svc-timestamp']}` }),
  'a timestamp with a zero in front': (good) => ({ ...good, 'x-svc-timestamp': `0${good['x-svc-timestamp']}` }),
  'a timestamp with decimals': (good) => ({ ...good, 'x-svc-timestamp': `${good['x-svc-timestamp']}.0` }),
  'a date for a timestamp': (good) => ({ ...good, 'x-svc-timestamp': new Date().toISOString() }),
  'another timestamp': (good) => ({ ...good, 'x-svc-timestamp': String(Number(good['x-svc-timestamp']) - 1) }),
  'another nonce': (good) => ({ ...good, 'x-svc-nonce': freshNonce() }),
  'a short nonce': (good) => ({ ...good, 'x-svc-nonce': good['x-svc-nonce'].slice(0, -1) }),
  'a padded nonce': (good) => ({ ...good, 'x-svc-nonce': `${good['x-svc-nonce']}==` }),
  'a nonce in hex': (good) => ({ ...good, 'x-svc-nonce': Buffer.alloc(16).toString('hex') }),
  'another signature': (good) => ({ ...good, 'x-svc-signature': flipFirst(good['x-svc-signature']) }),
  'a padded signature': (good) => ({ ...good, 'x-svc-signature': `${good['x-svc-signature']}==` }),
  'a signature in standard base64': (good) => ({ ...good, 'x-svc-signature': `+/${good['x-svc-signature'].slice(2)}` }),
  'a signature in hex': (good) => ({
    ...good,
    'x-svc-signature': Buffer.from(good['x-svc-signature'], 'base64url').toString('hex'),
  }),
  'a signature with a trailing bit': (good) => ({
    ...good,
    'x-svc-signature': withTrailingBit(good['x-svc-signature']),
  }),
  'a scalar of S + L': (good) => ({ ...good, 'x-svc-signature': withLargeScalar(good['x-svc-signature']) }),
  'a signature of zeros': (good) => ({ ...good, 'x-svc-signature': base64url(Buffer.alloc(64)) }),
  'the identity as R': (good) => ({
    ...good,
    'x-svc-signature': base64url(Buffer.concat([Buffer.of(1), Buffer.alloc(63)])),
  }),
};
for (const name of ['x-svc-agent-id', 'x-svc-timestamp', 'x-svc-nonce', 'x-svc-signature'] as const) {
  FAILURES[`${name} sent twice`] = (good) => [...Object.entries(good), [name, good[name]]];
}

describe('authentication', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
    bob = await forum.agent();
  });
  after(() => forum.stop());

  const send = (method: string, path: string, headers: object | [string, string][], body = '', url = forum.url) => {
    const list = Array.isArray(headers) ? headers : Object.entries(headers);
    const type: [string, string][] = body === '' ? [] : [['Content-Type', 'application/json']];
    return rawRequest(url, method, path, { headers: [...list, ...type], body });
  };
  const postAs = (headers: object, body = BODY) => send('POST', POST_PATH, headers, body);

  async function assertUnauthorized(answer: Awaited<ReturnType<typeof send>>, about = ''): Promise<void> {
    assert.deepEqual([answer.status, answer.body], [401, UNAUTHORIZED], about);
    assert.equal(answer.headers.get('content-length'), String(UNAUTHORIZED.length));
    // A request without headers of signatures may come from a page of another origin (docs/reading).
    const names = [...answer.headers.keys()].filter((name) => !name.startsWith('access-control-')).toSorted();
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.deepEqual(names, [
      'cache-control',
      'connection',
      'content-length',
      'content-type',
      'date',
      'link',
      'x-content-type-options',
      'x-request-id',
    ]);
  }

  describe('one constant 401 for every failure', () => {
    for (const [name, spoil] of Object.entries(FAILURES)) {
      it(name, async () => {
        await assertUnauthorized(await postAs(spoil(headersOf(ada, 'POST', POST_PATH, BODY))));
        await assertUnauthorized(await send('GET', SIGNED_READ, spoil(headersOf(ada, 'GET', SIGNED_READ))));
      });
    }

    it('no headers at all', async () => {
      await assertUnauthorized(await postAs({}));
      await assertUnauthorized(await send('GET', SIGNED_READ, {}));
    });

    it('signed by another agent', async () => {
      const headers = { ...headersOf(ada, 'POST', POST_PATH, BODY), 'x-svc-agent-id': bob.agentId };
      await assertUnauthorized(await postAs(headers));
    });

    it('an agent that never registered', async () => {
      const stranger = new TestAgent(forum.url);
      await assertUnauthorized(await postAs(headersOf(stranger, 'POST', POST_PATH, BODY)));
    });

    it('over another body, path, query or method', async () => {
      await assertUnauthorized(await postAs(headersOf(ada, 'POST', POST_PATH, `${BODY} `)));
      await assertUnauthorized(await postAs(headersOf(ada, 'POST', `${POST_PATH}/preview`, BODY)));
      await assertUnauthorized(await postAs(headersOf(ada, 'GET', POST_PATH, BODY)));
      const signedQuery = ada.headers('POST', POST_PATH, { query: 'a=1' }, Buffer.from(BODY));
      await assertUnauthorized(await postAs(signedQuery));
    });

    it('a nonce seen before, with the same bytes and with others', async () => {
      const headers = headersOf(ada, 'POST', POST_PATH, BODY);
      assert.equal((await postAs(headers)).status, 201);
      await assertUnauthorized(await postAs(headers));
      const nonce = headers['x-svc-nonce'];
      await assertUnauthorized(await postAs(ada.headers('POST', POST_PATH, { nonce }, Buffer.from(BODY))));
      await assertUnauthorized(
        await send('GET', SIGNED_READ, ada.headers('GET', SIGNED_READ, { nonce }, Buffer.alloc(0))),
      );
    });
  });

  describe('clock', () => {
    /** An API with a stopped clock, so that the bound is met to the millisecond. */
    let door: Variant;
    let nowMs = 0;
    before(async () => {
      door = await serveVariant(forum, { clock: { now: () => nowMs, aheadMs: 0 } });
    });
    after(() => door.stop());

    async function statusAt(secondsFromNow: number, millisecond: number): Promise<number> {
      const seconds = Math.floor(Date.now() / 1_000);
      nowMs = seconds * 1_000 + millisecond;
      const timestamp = String(seconds + secondsFromNow);
      const signed = signedLines(ada, { method: 'GET', path: SIGNED_READ, timestamp, nonce: freshNonce(), line7: '' });
      return (await send('GET', SIGNED_READ, signed, '', door.url)).status;
    }

    for (const millisecond of [0, 500, 999]) {
      it(`takes 300 seconds either way and not 301, ${millisecond} ms into the second`, async () => {
        const statuses = [];
        for (const skew of [-301, -300, 0, 300, 301]) statuses.push(await statusAt(skew, millisecond));
        assert.deepEqual(statuses, [401, 404, 404, 404, 401]);
      });
    }
  });

  describe('an empty body', () => {
    const signed = (line7: string, method = 'GET', path = SIGNED_READ) => {
      const timestamp = String(Math.floor(Date.now() / 1_000));
      return signedLines(ada, { method, path, timestamp, nonce: freshNonce(), line7 });
    };

    it('verifies with the hash of zero bytes and with an empty line', async () => {
      for (const line7 of [EMPTY_HASH, '']) {
        assert.equal((await send('GET', SIGNED_READ, signed(line7))).status, 404, line7);
        assert.equal((await send('POST', POST_PATH, signed(line7, 'POST', POST_PATH))).status, 400, line7);
      }
      assert.equal((await send('GET', SIGNED_READ, signed(base64url(Buffer.alloc(32))))).status, 401);
    });

    it('the signature over an empty line is valid for an empty body only', async () => {
      await assertUnauthorized(await postAs(signed('', 'POST', POST_PATH)));
      await assertUnauthorized(await postAs(signed(EMPTY_HASH, 'POST', POST_PATH)));
    });

    it('one nonce passes in one of the two forms only', async () => {
      const headers = signed('');
      assert.equal((await send('GET', SIGNED_READ, headers)).status, 404);
      const { 'x-svc-nonce': nonce, 'x-svc-timestamp': timestamp } = headers;
      const again = signedLines(ada, { method: 'GET', path: SIGNED_READ, timestamp, nonce, line7: EMPTY_HASH });
      await assertUnauthorized(await send('GET', SIGNED_READ, again));
    });
  });

  describe('nonces', () => {
    const twice = async (method: string, path: string, body = '') => {
      const headers = headersOf(ada, method, path, body);
      return [(await send(method, path, headers, body)).status, (await send(method, path, headers, body)).status];
    };

    it('are spent by accepted writes, refused writes and signed reads', async () => {
      assert.deepEqual(await twice('POST', POST_PATH, BODY), [201, 401]);
      assert.deepEqual(await twice('POST', POST_PATH, '{"title":"t"}'), [400, 401]);
      assert.deepEqual(await twice('POST', POST_PATH, 'no json'), [400, 401]);
      const unknownCommunity = '{"title":"t","body":"b","communitySlug":"nowhere"}';
      assert.deepEqual(await twice('POST', POST_PATH, unknownCommunity), [404, 401]);
      assert.deepEqual(await twice('GET', SIGNED_READ), [404, 401]);
    });

    it('are not spent by previews, accepted or refused', async () => {
      assert.deepEqual(await twice('POST', '/v1/posts/preview', BODY), [200, 200]);
      assert.deepEqual(await twice('POST', '/v1/posts/preview', '{}'), [400, 400]);
    });

    it('are not spent by requests that do not verify', async () => {
      const headers = headersOf(ada, 'POST', POST_PATH, BODY);
      await assertUnauthorized(await postAs({ ...headers, 'x-svc-signature': flipFirst(headers['x-svc-signature']) }));
      assert.equal((await postAs(headers)).status, 201);
    });

    it('are counted per agent', async () => {
      const nonce = freshNonce();
      for (const agent of [ada, bob]) {
        assert.equal((await agent.signed('POST', POST_PATH, { nonce, rawBody: BODY })).status, 201);
      }
    });

    it('pass once when the same bytes arrive twenty times at once', async () => {
      const headers = headersOf(ada, 'POST', POST_PATH, BODY);
      const answers = await Promise.all(Array.from({ length: 20 }, () => postAs(headers)));
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      assert.deepEqual(statuses, [201, ...Array<number>(19).fill(401)]);
    });
  });

  describe('optional-signature', () => {
    const path = '/v1/greeting';

    for (const [name, spoil] of Object.entries(FAILURES)) {
      it(`answers ${name} as anonymous, and says declined`, async () => {
        const answer = await send('GET', path, spoil(headersOf(ada, 'GET', path)));
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('x-svc-auth'), 'declined');
        assert.equal(JSON.parse(answer.body).agent, null);
      });
    }

    it('says nothing to who sent no header, nor to who verifies', async () => {
      const anonymous = await send('GET', path, {});
      assert.equal(anonymous.headers.has('x-svc-auth'), false);
      const signed = await send('GET', path, headersOf(ada, 'GET', path));
      assert.equal(signed.headers.has('x-svc-auth'), false);
      assert.equal(JSON.parse(signed.body).agent.agentId, ada.agentId);
    });

    it('declines a replay', async () => {
      const headers = headersOf(ada, 'GET', path);
      assert.equal((await send('GET', path, headers)).headers.has('x-svc-auth'), false);
      const again = await send('GET', path, headers);
      assert.equal(again.headers.get('x-svc-auth'), 'declined');
      assert.equal(JSON.parse(again.body).agent, null);
    });

    it('says declined beside a refusal too', async () => {
      const headers = { ...headersOf(ada, 'GET', path), 'x-svc-nonce': freshNonce() };
      const answer = await send('GET', `${path}?view=none`, headers);
      assert.deepEqual([answer.status, answer.headers.get('x-svc-auth')], [400, 'declined']);
    });

    it('pays no heed to headers where identity plays no part', async () => {
      const answer = await send('GET', '/v1/agents', { 'x-svc-nonce': 'nonsense' });
      assert.deepEqual([answer.status, answer.headers.has('x-svc-auth')], [200, false]);
    });
  });
});
