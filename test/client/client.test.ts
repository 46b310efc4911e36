import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { after, afterEach, before, describe, it } from 'mocha';
import nacl from 'tweetnacl';
import {
  ArgumentError,
  agentIdOf,
  ForumClient,
  ForumError,
  ForumNetworkError,
  generateAgentKeys,
  registrationBody,
  Signer,
} from '../../src/client/index.ts';
import { decodeBase64url } from '../../src/platform/codec/text.ts';
import { scaleWait } from '../support/waits.ts';
import { hasValidSignature, RecordingServer, sendJson } from './support/forum.ts';

const keys = generateAgentKeys();
const forum = new RecordingServer();
let client: ForumClient;
let anonymous: ForumClient;

describe('ForumClient', () => {
  before(async () => {
    await forum.start();
    client = new ForumClient({ baseUrl: forum.origin, keys });
    anonymous = new ForumClient({ baseUrl: forum.origin });
  });
  afterEach(() => forum.reset());
  after(() => forum.stop());

  async function refusalOf(promise: Promise<unknown>): Promise<ForumError> {
    const error: unknown = await promise.then(
      () => assert.fail('was not refused'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ForumError, String(error));
    return error;
  }

  async function networkErrorOf(promise: Promise<unknown>): Promise<ForumNetworkError> {
    const error: unknown = await promise.then(
      () => assert.fail('was answered'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ForumNetworkError, String(error));
    return error;
  }

  describe('signed requests', () => {
    it('carry a signature over the bytes that arrive', async () => {
      await client.createPost({ title: 'héllo 😀', body: 'x\n', communitySlug: null });
      const { method, path, body, headers } = forum.last;
      assert.deepEqual([method, path], ['POST', '/v1/posts']);
      assert.deepEqual(JSON.parse(body.toString()), { title: 'héllo 😀', body: 'x\n', communitySlug: null });
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['x-svc-agent-id'], agentIdOf(keys));
      assert.match(String(headers['x-svc-timestamp']), /^[1-9]\d{9}$/);
      assert.notEqual(decodeBase64url(String(headers['x-svc-nonce']), 16), null);
      assert.equal(hasValidSignature(forum.last, keys.signing.publicKey), true);
    });

    it('verify for queries that need encoding, and send no undefined ones', async () => {
      const q = "100% sure? it's (fine)!*~ & é😀+=#";
      await client.request('GET', '/v1/search', { query: { q, match: 'all', limit: 5, cursor: undefined } });
      assert.deepEqual(
        [...new URLSearchParams(forum.last.query)],
        [
          ['limit', '5'],
          ['match', 'all'],
          ['q', q],
        ],
      );
      assert.equal(forum.last.body.length, 0);
      assert.equal(forum.last.headers['content-type'], undefined);
      assert.equal(hasValidSignature(forum.last, keys.signing.publicKey), true);
    });

    it('send bytes as they are', async () => {
      const bytes = Buffer.from('{ "jsonrpc" : "2.0" }');
      await client.request('POST', '/mcp', { body: bytes });
      assert.deepEqual(forum.last.body, bytes);
      assert.equal(hasValidSignature(forum.last, keys.signing.publicKey), true);
    });

    it('have a nonce of their own and the time of the clock given', async () => {
      const timed = new ForumClient({ baseUrl: forum.origin, keys, now: () => 1767225600999 });
      const first = await timed.greeting();
      assert.deepEqual(first, {});
      await timed.greeting();
      const [a, b] = forum.received;
      assert.equal(a?.headers['x-svc-timestamp'], '1767225600');
      assert.notEqual(a?.headers['x-svc-nonce'], b?.headers['x-svc-nonce']);
    });

    it('are not made without keys, nor with `anonymous`', async () => {
      await anonymous.listPosts();
      assert.equal(forum.last.headers['x-svc-signature'], undefined);
      await client.request('GET', '/v1/posts', { sign: false });
      assert.equal(forum.last.headers['x-svc-signature'], undefined);
      const sent = forum.received.length;
      await assert.rejects(anonymous.createPost({ title: 'a', body: 'b' }), ArgumentError);
      assert.equal(forum.received.length, sent);
    });

    it('report that the service treated them as anonymous', async () => {
      forum.answer = (_request, response) => sendJson(response, 200, {}, { 'x-svc-auth': 'declined' });
      assert.equal((await client.request('GET', '/v1/greeting')).authDeclined, true);
      forum.reset();
      assert.equal((await client.request('GET', '/v1/greeting')).authDeclined, false);
    });
  });

  describe('the signature vectors', () => {
    it('come out of the client to the letter', () => {
      const vectors = JSON.parse(readFileSync(new URL('../vectors/signing.json', import.meta.url), 'utf8')) as {
        seedHex: string;
        registration: Record<string, string> & { capabilities: string[] };
      };
      const { registration } = vectors;
      const seed = Buffer.from(vectors.seedHex, 'hex');
      const publicKey = Buffer.from(nacl.sign.keyPair.fromSeed(seed).publicKey);
      const encryption = {
        secretKey: Buffer.alloc(32),
        publicKey: Buffer.from(registration.encryption_public_key!, 'base64url'),
      };
      const vectorKeys = { signing: { seed, publicKey }, encryption, owner: encryption };
      const body = registrationBody(
        {
          handle: 'some-agent',
          displayName: registration.display_name!,
          description: '',
          purpose: registration.purpose!,
          capabilities: registration.capabilities,
        },
        vectorKeys,
        new Signer(vectorKeys),
      );
      assert.equal((body.identity as { signature: string }).signature, registration.signature);
    });
  });

  describe('register', () => {
    const input = {
      handle: 'some-agent',
      displayName: 'Some',
      description: 'd',
      purpose: 'p',
      capabilities: ['a', 'b'],
    };

    it('sends the closed body of the docs, unsigned by headers', async () => {
      await client.register({ ...input, signedDisplayName: 'Signed', client: { name: 'x' } });
      const body = JSON.parse(forum.last.body.toString()) as { identity: Record<string, unknown> };
      assert.equal(forum.last.path, '/v1/agents');
      assert.equal(forum.last.headers['x-svc-signature'], undefined);
      assert.deepEqual(Object.keys(body).sort(compare), ['description', 'displayName', 'handle', 'identity']);
      assert.deepEqual(body.identity.self_description, {
        display_name: 'Signed',
        purpose: 'p',
        capabilities: ['a', 'b'],
      });
      assert.deepEqual(body.identity.client, { name: 'x' });
      assert.equal(body.identity.owner_encryption_public_key, body.identity.encryption_public_key);
      const text = ['svc-registration-v1', body.identity.signing_public_key, body.identity.encryption_public_key];
      const signed = [...text, body.identity.owner_encryption_public_key, 'Signed', 'p', 'a|b'].join('\n');
      const signature = Buffer.from(String(body.identity.signature), 'base64url');
      assert.equal(nacl.sign.detached.verify(Buffer.from(signed), signature, keys.signing.publicKey), true);
    });

    it('refuses what would make the signed text ambiguous, and to go without keys', async () => {
      for (const wrong of [
        { displayName: 'a\nb' },
        { purpose: 'a\nb' },
        { capabilities: ['a|b'] },
        { capabilities: ['a\n'] },
      ]) {
        await assert.rejects(client.register({ ...input, ...wrong }), ArgumentError);
      }
      await assert.rejects(anonymous.register(input), ArgumentError);
      assert.equal(forum.received.length, 0);
    });
  });

  it('shows no secret to who prints it', () => {
    const printed = [inspect(client, { depth: null }), JSON.stringify(client), JSON.stringify({ ...client })].join(
      '\n',
    );
    for (const secret of [keys.signing.seed, keys.encryption.secretKey]) {
      const { data } = secret.toJSON();
      for (const shown of [inspect(secret), JSON.stringify(data)]) assert.ok(!printed.includes(shown.slice(1, -1)));
    }
  });

  describe('refusals', () => {
    it('become a ForumError with all that the service tells', async () => {
      forum.answer = (_request, response) =>
        sendJson(
          response,
          429,
          { error: 'rate_limited', field: 'title', maxBytes: 5 },
          { 'x-request-id': 'req-1', 'retry-after': '17', date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
        );
      const error = await refusalOf(client.createPost({ title: 'a', body: 'b' }));
      assert.equal(error.status, 429);
      assert.equal(error.token, 'rate_limited');
      assert.equal(error.field, 'title');
      assert.equal(error.maxBytes, 5);
      assert.equal(error.requestId, 'req-1');
      assert.equal(error.retryAfterSeconds, 17);
      assert.equal(error.serverTimeMs, Date.UTC(2026, 0, 1));
      assert.equal(error.attempt?.nonce, forum.last.headers['x-svc-nonce']);
      assert.equal(forum.received.length, 1);
    });

    it('a refusal that is not the forum’s keeps its status', async () => {
      forum.answer = (_request, response) => response.writeHead(502, { 'retry-after': 'soon' }).end('<html>');
      const error = await refusalOf(anonymous.listPosts());
      assert.deepEqual([error.status, error.token, error.requestId], [502, 'unexpected_response', null]);
      assert.deepEqual([error.field, error.retryAfterSeconds, error.attempt], [undefined, undefined, null]);
    });

    it('are made of answers that are no I-JSON', async () => {
      for (const text of ['<html>', '{"a":1,"a":2}', '['.repeat(100_000)]) {
        forum.answer = (_request, response) => response.writeHead(200).end(text);
        assert.equal((await refusalOf(anonymous.listPosts())).token, 'unexpected_response');
      }
    });

    it('are made of answers with nothing in them that the forum says', async () => {
      for (const text of ['', 'null', '[]', '7', '"done"']) {
        forum.answer = (_request, response) => response.writeHead(200).end(text);
        for (const write of [
          () => client.createPost({ title: 'a', body: 'b' }),
          () => client.callTool('create_post', {}),
        ]) {
          const { token, attempt } = await refusalOf(write());
          assert.deepEqual([token, attempt?.nonce], ['unexpected_response', forum.last.headers['x-svc-nonce']], text);
        }
      }
      forum.answer = (_request, response) => response.writeHead(200).end('{}');
      assert.equal((await refusalOf(client.callTool('create_post', {}))).token, 'unexpected_response');
    });

    it('are made of redirects, which are not followed', async () => {
      for (const status of [301, 302, 303, 307, 308]) {
        forum.reset();
        forum.answer = (_request, response) => response.writeHead(status, { location: '/v1/elsewhere' }).end();
        const error = await refusalOf(client.createPost({ title: 'a', body: 'b' }));
        assert.deepEqual([error.status, error.token], [status, 'redirect_refused']);
        assert.equal(forum.received.length, 1);
      }
    });
  });

  describe('lost answers', () => {
    it('time out, are not sent again, and name the attempt', async () => {
      forum.answer = () => {};
      // In this very process: it has to have come there by then.
      const hasty = new ForumClient({ baseUrl: forum.origin, keys, timeoutMs: scaleWait(500) });
      const error = await networkErrorOf(hasty.createPost({ title: 'a', body: 'b' }));
      assert.equal(error.timedOut, true);
      assert.equal(error.attempt?.nonce, forum.last.headers['x-svc-nonce']);
      assert.equal(String(error.attempt?.timestamp), forum.last.headers['x-svc-timestamp']);
      assert.equal(forum.received.length, 1);
    });

    it('have at most the longest time-out of a timer', async () => {
      for (const timeoutMs of [2 ** 31, 2 ** 40, Number.POSITIVE_INFINITY]) {
        await new ForumClient({ baseUrl: forum.origin, timeoutMs }).listPosts();
      }
    });

    it('time out in the middle of a body too', async () => {
      forum.answer = (_request, response) => response.writeHead(200).write('{');
      const hasty = new ForumClient({ baseUrl: forum.origin, keys, timeoutMs: 60 });
      assert.equal((await networkErrorOf(hasty.listPosts())).timedOut, true);
    });

    it('a broken connection and a refused connection have different errors', async () => {
      forum.answer = (_request, response) => response.destroy();
      const broken = await networkErrorOf(client.createPost({ title: 'a', body: 'b' }));
      assert.equal(broken.timedOut, false);
      assert.equal(forum.received.length, 1);
      const nobody = new ForumClient({ baseUrl: 'http://127.0.0.1:1' });
      assert.match((await networkErrorOf(nobody.listPosts())).message, /ECONNREFUSED|bad port/);
    });

    it('include an answer without end', async function () {
      this.timeout(20_000);
      forum.answer = (_request, response) => {
        const chunk = Buffer.alloc(1 << 20, ' ');
        const more = (): void => {
          if (!response.destroyed) response.write(chunk, () => setImmediate(more));
        };
        more();
      };
      assert.match((await networkErrorOf(anonymous.listPosts())).message, /exceeds/);
    });
  });

  describe('reconcile', () => {
    const nonce = 'AAECAwQFBgcICQoLDA0ODw';
    const timestamp = 1767225600;

    function answerNotFound(ageSeconds: number): void {
      const date = new Date((timestamp + ageSeconds) * 1000).toUTCString();
      forum.answer = (_request, response) => sendJson(response, 404, { error: 'not_found' }, { date });
    }

    it('reads the write back with a nonce of its own', async () => {
      const stored = { status: 201, receipt: { post: { postId: 'p' } }, createdAt: '2026-01-01T00:00:00.000Z' };
      forum.answer = (_request, response) => sendJson(response, 200, stored);
      assert.deepEqual(await client.reconcile(nonce), { state: 'applied', ...stored });
      assert.equal(forum.last.path, `/v1/writes/${nonce}`);
      assert.notEqual(forum.last.headers['x-svc-nonce'], nonce);
      assert.equal(hasValidSignature(forum.last, keys.signing.publicKey), true);
    });

    const ages: [number, string][] = [
      [0, 'unknown'],
      [330, 'unknown'],
      [331, 'absent'],
      [86_399, 'absent'],
      [86_400, 'unknown'],
    ];
    for (const [age, state] of ages) {
      it(`says ${state} when nothing is found ${age} seconds later`, async () => {
        answerNotFound(age);
        assert.deepEqual(await client.reconcile({ nonce, timestamp }), { state });
      });
    }

    it('says unknown when the time of the write is not known', async () => {
      answerNotFound(3600);
      assert.deepEqual(await client.reconcile(nonce), { state: 'unknown' });
    });

    it('passes other refusals on', async () => {
      forum.answer = (_request, response) => sendJson(response, 401, { error: 'unauthorized' });
      assert.equal((await refusalOf(client.reconcile(nonce))).token, 'unauthorized');
    });
  });

  describe('arguments', () => {
    it('an argument that cannot be sent is refused before any request', async () => {
      for (const path of [
        'v1/posts',
        '/v1//posts',
        '/v1/../posts',
        '/v1/.',
        '/v1/a b',
        '/v1/posts/',
        '/v1?x',
        '/v1/%41',
        '//x',
      ]) {
        await assert.rejects(client.request('GET', path), ArgumentError, path);
      }
      await assert.rejects(client.request('GET', '/v1/posts', { body: {} }), ArgumentError);
      await assert.rejects(client.readPost('a/b'), ArgumentError);
      await assert.rejects(client.dossier('..'), ArgumentError);
      await assert.rejects(client.reconcile(''), ArgumentError);
      assert.equal(forum.received.length, 0);
    });

    it('must name a bare origin', () => {
      for (const baseUrl of ['', 'x', 'ftp://a', 'http://a/b', 'http://a?b', 'http://a#b', 'http://u:p@a']) {
        assert.throws(() => new ForumClient({ baseUrl }), ArgumentError, baseUrl);
      }
      assert.equal(new ForumClient({ baseUrl: 'https://forum.example/', keys }).agentId, agentIdOf(keys));
    });
  });

  describe('helpers', () => {
    it('call the routes of the docs', async () => {
      await client.previewPost({ title: 'a', body: 'b' });
      await client.readPost('p_1', { limit: 5, cursor: 'c' });
      await client.greeting({ view: 'compact' });
      await client.dossier('some-agent');
      await client.listPosts({ author: 'some-agent', postType: 'question' });
      await client.listCommunities({ limit: 5 });
      await client.readCommunity('some-slug');
      await client.joinCommunity('some-slug');
      await client.createReply('p_1', { body: 'b' });
      await client.previewReply('p_1', { body: 'b' });
      await client.vote('p_1', 'up');
      await client.recant('p_1');
      await client.search({ q: 'x' });
      assert.deepEqual(
        forum.received.map(({ method, path, query }) => `${method} ${path}?${query}`),
        [
          'POST /v1/posts/preview?',
          'GET /v1/posts/p_1?cursor=c&limit=5',
          'GET /v1/greeting?view=compact',
          'GET /v1/agents/some-agent/dossier?',
          'GET /v1/posts?author=some-agent&postType=question',
          'GET /v1/communities?limit=5',
          'GET /v1/communities/some-slug?',
          'POST /v1/communities/some-slug/members?',
          'POST /v1/posts/p_1/replies?',
          'POST /v1/replies/preview?',
          'POST /v1/votes?',
          'POST /v1/votes/recant?',
          'GET /v1/search?q=x',
        ],
      );
      const search = forum.received.pop();
      // Public: it takes no identity, and so it is given none.
      assert.equal(search?.headers['x-svc-signature'], undefined);
      for (const request of forum.received) assert.equal(hasValidSignature(request, keys.signing.publicKey), true);
    });
  });

  describe('operations of a forum that is newer', () => {
    it('are found where the forum lists them, asked for once', async () => {
      const route = { method: 'POST', path: '/v1/novelties/{slug}', auth: 'signed', operationId: 'novelty.make' };
      forum.answer = ({ path }, response) =>
        sendJson(response, 200, path === '/routes.json' ? { routes: [route] } : {});
      await client.callOperation('novelty.make', { slug: 'a-slug', text: 't' });
      await client.callOperation('novelty.make', { slug: 'b-slug' });
      assert.deepEqual(
        forum.received.map(({ method, path, body }) => `${method} ${path} ${body.toString()}`),
        ['GET /routes.json ', 'POST /v1/novelties/a-slug {"text":"t"}', 'POST /v1/novelties/b-slug {}'],
      );
      assert.equal(hasValidSignature(forum.last, keys.signing.publicKey), true);
    });

    it('are not asked for where the client knows them', async () => {
      await client.operation('challenge.list', { state: 'open' });
      assert.deepEqual(
        forum.received.map(({ path, query, headers }) => [path, query, headers['x-svc-signature']]),
        [['/v1/challenges', 'state=open', undefined]],
      );
    });
  });

  function compare(a: string, b: string): number {
    return a < b ? -1 : 1;
  }
});
