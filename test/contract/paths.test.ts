import assert from 'node:assert/strict';
import { OPERATIONS } from '../../src/operations.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertRefused } from './support/assertions.ts';
import { rawExchange, rawRequest } from './support/raw.ts';

describe('paths and methods', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let postId: string;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent('ada-of-paths');
    postId = (await ada.post('/v1/posts', { title: 'Here', body: 'b' })).body.post.postId;
  });
  after(() => forum.stop());

  const get = (target: string) => rawRequest(forum.url, 'GET', target);

  describe('request targets that are no route', () => {
    const targets = [
      '/v1',
      '/v2/posts',
      '/v1/posts/',
      '/v1/agents/ada-of-paths/',
      '/health/',
      '/routes.json/',
      '/V1/posts',
      '/v1/Posts',
      '/Health',
      '/v1/%70osts',
      '/v1/posts%2F',
      '/v1/posts%00',
      '//v1/posts',
      '/v1//posts',
      '/v1/./posts',
      '/v1/../v1/posts',
      '/v1/agents/..',
      '/v1/posts/.',
      '/v1/posts;a=b',
      '/v1/posts;',
      '/v1\\posts',
      '/v1/posts#top',
      '/v1/posts?limit=1#top',
      'http://forum.test/v1/posts',
      'http://127.0.0.1/v1/posts',
      '/v1/posts*',
      '/v1/posts/$',
    ];
    for (const target of targets) {
      it(target, async () => {
        const answer = await get(target);
        assertRefused(answer, 404, 'not_found');
        assert.equal(answer.headers.get('location'), undefined);
      });
    }

    it('nor are they for writes', async () => {
      for (const target of ['/v1/posts/', '//v1/posts', '/v1/./posts', '/v1/posts#x']) {
        const body = Buffer.from('{"title":"t","body":"b"}');
        const headers = Object.entries(ada.headers('POST', target, {}, body));
        assertRefused(await rawRequest(forum.url, 'POST', target, { headers, body }), 404, 'not_found', {}, target);
      }
    });
  });

  describe('identifiers that do not fit', () => {
    const cases = {
      '/v1/posts/': [
        'p_',
        'p_short',
        `P_${'0'.repeat(25)}`,
        `p_${'0'.repeat(24)}`,
        `p_${'0'.repeat(26)}`,
        `p_${'A'.repeat(25)}`,
      ],
      '/v1/agents/': ['ab', 'Ada', 'a_b', 'x'.repeat(65), 'a.b'],
      '/v1/writes/': ['short', `${'A'.repeat(21)}B`, 'A'.repeat(23)],
    };
    for (const [prefix, names] of Object.entries(cases)) {
      it(`${prefix}… is not_found`, async () => {
        for (const name of names) assertRefused(await ada.get(`${prefix}${name}`), 404, 'not_found', {}, name);
      });
    }

    it('answers the dossier to a handle and to an agent id, and to nothing else', async () => {
      for (const name of [ada.handle, ada.agentId]) assert.equal((await get(`/v1/agents/${name}/dossier`)).status, 200);
      for (const name of ['Ada', `${ada.agentId}x`, `ag1-${'!'.repeat(22)}`, `ag1-${'A'.repeat(22)}`, 'nobody-here']) {
        assertRefused(await get(`/v1/agents/${name}/dossier`), 404, 'not_found', {}, name);
      }
    });

    it('maps no agent id to a handle', async () => {
      assertRefused(await get(`/v1/agents/${ada.agentId}`), 404, 'not_found');
    });

    it('says the same of what is unknown', async () => {
      assertRefused(await get(`/v1/posts/p_${'0'.repeat(25)}`), 404, 'not_found');
      assertRefused(await get('/v1/agents/nobody-here'), 404, 'not_found');
    });
  });

  describe('methods', () => {
    const known = () => ({
      '/v1/posts': 'GET, HEAD, POST',
      '/v1/posts/preview': 'POST',
      [`/v1/posts/${postId}`]: 'GET, HEAD',
      '/v1/agents': 'GET, HEAD, POST',
      '/v1/greeting': 'GET, HEAD',
      '/health': 'GET, HEAD',
      '/health/storage': 'GET, HEAD',
      '/routes.json': 'GET, HEAD',
    });

    it('returns 405 with Allow if the path is known', async () => {
      for (const [path, allow] of Object.entries(known())) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
          if (allow.split(', ').includes(method)) continue;
          const answer = await rawRequest(forum.url, method, path);
          assertRefused(answer, 405, 'method_not_allowed', {}, `${method} ${path}`);
          assert.equal(answer.headers.get('allow'), allow, `${method} ${path}`);
        }
      }
    });

    it('returns 404 for an unknown path with any method', async () => {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        for (const path of ['/nowhere', '/v1/nowhere', '/v1/posts/not-an-id', '/v1/posts/']) {
          assertRefused(await rawRequest(forum.url, method, path), 404, 'not_found', {}, `${method} ${path}`);
        }
      }
      assertRefused(await rawRequest(forum.url, 'OPTIONS', '*'), 404, 'not_found');
    });

    it('ignores headers that would change the method', async () => {
      for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
        const answer = await rawRequest(forum.url, 'GET', '/v1/posts', { headers: [[name, 'DELETE']] });
        assert.equal(answer.status, 200);
      }
    });

    it('never builds a link from Host', async () => {
      const answer = await get(`/v1/posts/${postId}`);
      assert.ok(!answer.body.includes('forum.test'));
      assert.equal(JSON.parse(answer.body).post.links.self, `/v1/posts/${postId}`);
    });

    it('answers HEAD as GET without the body', async () => {
      for (const path of ['/v1/posts', `/v1/posts/${postId}`, '/v1/agents', '/health', '/routes.json']) {
        const [headed, got] = [await rawRequest(forum.url, 'HEAD', path), await get(path)];
        assert.equal(headed.status, 200, path);
        assert.equal(headed.body, '', path);
        assert.equal(headed.headers.get('content-length'), String(Buffer.byteLength(got.body)), path);
        assert.equal(headed.headers.get('content-type'), got.headers.get('content-type'), path);
      }
      const missing = await rawRequest(forum.url, 'HEAD', `/v1/posts/p_${'0'.repeat(25)}`);
      assert.deepEqual([missing.status, missing.body], [404, '']);
    });

    it('verifies HEAD over its own name', async () => {
      const path = '/v1/posts';
      const signedAs = (method: string) => Object.entries(ada.headers(method, path, {}, Buffer.alloc(0)));
      const head = await rawRequest(forum.url, 'HEAD', path, { headers: signedAs('HEAD') });
      assert.equal(head.headers.get('x-svc-auth'), undefined);
      const get = await rawRequest(forum.url, 'HEAD', path, { headers: signedAs('GET') });
      assert.equal(get.headers.get('x-svc-auth'), 'declined');
    });
  });

  it('answers bytes that are no HTTP with the error body', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET /v1/posts HTTP/1.1\r\nHost: a\r\nBad Header\r\n\r\n',
      'GET /a b HTTP/1.1\r\n\r\n',
    ]) {
      const answer = await rawExchange(forum.url, bytes);
      assertRefused(answer, 400, 'invalid_request', {}, bytes);
    }
    for (const target of ['v1/posts', '/v1/posts\xe9', '/v1/posts?author=\xc3\xa9']) {
      assertRefused(await get(target), 400, 'invalid_request', {}, target);
    }
    const large = `GET /v1/posts HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
    assertRefused(await rawExchange(forum.url, large), 400, 'invalid_request');
  });

  it('serves every path of the table under its exact spelling alone', async () => {
    for (const { path, method } of OPERATIONS) {
      const target = path.replaceAll(/\{\w+\}/g, 'x');
      assertRefused(await rawRequest(forum.url, method, `${target}/`), 404, 'not_found', {}, `${method} ${target}/`);
      assertRefused(await rawRequest(forum.url, method, target.toUpperCase()), 404, 'not_found', {}, target);
    }
  });
});
