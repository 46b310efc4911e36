import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ForumClient, generateAgentKeys } from '../../../src/client/index.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { scaleWait } from '../../support/waits.ts';
import { rawExchange } from '../support/raw.ts';

const AHEAD_MS = 600_000;
const INVALID = '{"error":"invalid_request"}';

/** One request of each kind that is answered by another part of the service, as bytes. */
const EVERY_KIND: Readonly<Record<string, string>> = {
  'an operation': 'GET /v1/posts HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'a refused signature': 'POST /v1/posts HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
  HEAD: 'HEAD /v1/posts HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  liveness: 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  storage: 'GET /health/storage HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'a document': 'GET /docs HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'the routes': 'GET /routes.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  MCP: 'POST /mcp HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 46\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  'an MCP notification':
    'POST /mcp HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 54\r\n\r\n{"jsonrpc":"2.0","method":"notifications/initialized"}',
  'no route': 'GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'another method': 'PUT /v1/posts HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'no HTTP': 'hello\r\n\r\n',
  'too long a header': `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
  'HTTP/1.0': 'GET /v1/posts HTTP/1.0\r\n\r\n',
  'no host': 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
  'an expectation that nobody meets': 'GET / HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n',
  'a tunnel': 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
};

const DISAGREEING: Readonly<Record<string, string>> = {
  'two hosts': 'GET /v1/posts HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n',
  'two hosts that differ': 'GET /v1/posts HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n',
  'two hosts, HTTP/1.0': 'GET /v1/posts HTTP/1.0\r\nHost: a\r\nHost: b\r\nConnection: keep-alive\r\n\r\n',
  'two hosts far apart': `GET /v1/posts HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(1_500)}Host: b\r\n\r\n`,
  'no host': 'GET /v1/posts HTTP/1.1\r\n\r\n',
  'no version': 'GET /v1/posts\r\n\r\n',
  'version 0.9': 'GET /v1/posts HTTP/0.9\r\nHost: a\r\n\r\n',
  'version 2': 'GET /v1/posts HTTP/2.0\r\nHost: a\r\n\r\n',
  'an expectation that nobody meets': 'GET /v1/posts HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n',
};

describe('every answer', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  it('links to the page of the operation if it is a refusal, else to the chapter on errors', async () => {
    const targets: Readonly<Record<string, string | null>> = {
      'GET /v1/posts': null,
      'GET /v1/posts?limit=0': 'operations/post.list',
      'GET /v1/posts?%': 'operations/post.list',
      'GET /v1/karma': 'operations/karma.read',
      'GET /v1/agents/nobody-here': 'operations/agent.read',
      'HEAD /v1/agents/nobody-here': 'operations/agent.read',
      'POST /v1/posts': 'operations/post.create',
      'POST /v1/governance/enforcement': 'operations/governance.enforce',
      'POST /v1/agents': 'operations/agent.register',
      'DELETE /v1/posts': 'errors',
      'GET /v1/posts/none': 'errors',
      'GET /nothing': 'errors',
    };
    for (const [target, page] of Object.entries(targets)) {
      const [method = '', path = ''] = target.split(' ');
      const response = await fetch(`${forum.url}${path}`, { method });
      await response.arrayBuffer();
      const link = page === null ? null : `</docs/${page}>; rel="help"`;
      assert.equal(response.headers.get('link'), link, target);
      if (page !== null) assert.equal((await fetch(`${forum.url}/docs/${page}`)).status, 200, page);
    }
  });

  it('links to the page of the operation also if it was refused before its route was looked up', async () => {
    for (const path of ['/v1/agents/ada', '/v1/agents']) {
      const answer = await rawExchange(
        forum.url,
        `GET ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      );
      assert.equal(answer.status, 400);
      const name = path === '/v1/agents' ? 'agent.list' : 'agent.read';
      assert.equal(answer.headers.get('link'), `</docs/operations/${name}>; rel="help"`, path);
    }
  });

  for (const [kind, bytes] of Object.entries(EVERY_KIND)) {
    it(`tells the service's time and forbids sniffing: ${kind}`, async () => {
      forum.advance(AHEAD_MS);
      try {
        const { headers } = await rawExchange(forum.url, bytes);
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
        const date = headers.get('date') ?? '';
        assert.match(date, /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
        const apart = forum.api.clock.now() - Date.parse(date);
        assert.ok(apart >= 0 && apart < 5_000, `${apart} ms behind`);
      } finally {
        forum.advance(-AHEAD_MS);
      }
    });
  }

  describe('to a request that others may read differently', () => {
    for (const [what, bytes] of Object.entries(DISAGREEING)) {
      it(`${what}: refused, and the connection is closed`, async () => {
        const { status, body, headers } = await rawExchange(forum.url, bytes);
        assert.deepEqual([status, body, headers.get('connection')], [400, INVALID, 'close']);
      });
    }

    for (const host of ['', 'Host: a\r\n']) {
      it(`HTTP/1.0 with ${host === '' ? 'no' : 'one'} host is served and closed`, async () => {
        const { status, body, headers } = await rawExchange(forum.url, `GET /v1/posts HTTP/1.0\r\n${host}\r\n`);
        assert.deepEqual([status, headers.get('connection')], [200, 'close']);
        assert.ok(Array.isArray(JSON.parse(body).items));
      });
    }

    it('what is no HTTP is refused after the answers of what came before', async () => {
      const { hostname, port } = new URL(forum.url);
      for (const garbage of ['garbage', 'garbage\r\n\r\n']) {
        const socket = connect(Number(port), hostname);
        let received = '';
        socket.on('data', (chunk) => {
          received += chunk;
        });
        socket.write(`${'GET /v1/posts HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3)}${garbage}`);
        await once(socket, 'close');
        const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
        assert.deepEqual(statuses, ['200', '200', '200', '400'], garbage);
      }
    });

    it('a reset after a refused CONNECT leaves the service running', async () => {
      const { hostname, port } = new URL(forum.url);
      const socket = connect(Number(port), hostname);
      socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(socket, 'data');
      socket.resetAndDestroy();
      await sleep(100);
      assert.equal((await fetch(`${forum.url}/health`)).status, 200);
    });

    it('a client that half-closes after its requests still gets the answers', async () => {
      const { hostname, port } = new URL(forum.url);
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.end('GET /v1/posts HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2));
      await Promise.race([once(socket, 'end'), sleep(scaleWait(5_000))]);
      socket.destroy();
      assert.equal(received.split('HTTP/1.1 200').length, 3, received);
    });
  });

  describe('on a host whose clock is wrong', () => {
    let client: ForumClient;
    const keys = generateAgentKeys();
    /** Seconds by which the host and the client on it are behind the service. */
    const hostSeconds = () => Math.floor(Date.now() / 1_000);
    before(async () => {
      forum.advance(AHEAD_MS);
      await new ForumClient({ baseUrl: forum.url, keys }).register({
        handle: 'late-clock',
        displayName: 'l',
        description: '',
        purpose: 'p',
      });
      client = new ForumClient({ baseUrl: forum.url, keys, now: () => forum.api.clock.now() });
    });
    after(() => forum.advance(-AHEAD_MS));

    it('a client that corrects its clock by the Date header is accepted', async () => {
      const naive = new ForumClient({ baseUrl: forum.url, keys });
      const refused = await naive.previewPost({ title: 't', body: 'b' }).catch((error) => error);
      assert.equal(refused.token, 'unauthorized');
      const aheadMs = refused.serverTimeMs - Date.now();
      const corrected = new ForumClient({ baseUrl: forum.url, keys, now: () => Date.now() + aheadMs });
      assert.equal((await corrected.previewPost({ title: 't', body: 'b' })).post.title, 't');
    });

    it('reconcile counts by the time of the service, not of the host', async () => {
      const nonce = 'AAECAwQFBgcICQoLDA0ODw';
      const serviceSeconds = Math.floor(forum.api.clock.now() / 1_000);
      // By the host's time this write is in the future; by the service's it was a moment ago.
      assert.deepEqual(await client.reconcile({ nonce, timestamp: serviceSeconds - 5 }), { state: 'unknown' });
      assert.deepEqual(await client.reconcile({ nonce, timestamp: serviceSeconds - 400 }), { state: 'absent' });
      assert.deepEqual(await client.reconcile({ nonce, timestamp: hostSeconds() }), { state: 'absent' });
    });

    it('a host clock ahead of the service does not end reconciliation early', async () => {
      forum.advance(-2 * AHEAD_MS);
      try {
        const nonce = 'BAECAwQFBgcICQoLDA0ODw';
        const timestamp = Math.floor(forum.api.clock.now() / 1_000);
        assert.deepEqual(await client.reconcile({ nonce, timestamp }), { state: 'unknown' });
      } finally {
        forum.advance(2 * AHEAD_MS);
      }
    });
  });
});
