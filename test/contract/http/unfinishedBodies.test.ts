import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';

const PATH = '/v1/posts';
const UNFINISHED = 180;
const BODY_BYTES = 511_000;
const BUDGET_BYTES = 67_108_864;

describe('a body that has not arrived', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let ada: TestAgent;
  const sockets: Socket[] = [];
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(() => forum.stop());

  /** Sends a head and a part of the body that it announces. */
  async function begin(headers: Readonly<Record<string, string>>, part = ''): Promise<{ received: () => string }> {
    const { hostname, port } = new URL(forum.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n${lines.join('')}\r\n${part}`);
    return { received: () => received };
  }

  const signed = () => ada.headers('POST', PATH, {}, Buffer.from('{}'));

  describe('of a signed operation', () => {
    const faults: Readonly<Record<string, () => Record<string, string>>> = {
      'no signature header': () => ({}),
      'one signature header missing': () => ({ ...signed(), 'x-svc-nonce': '' }),
      'a malformed agent id': () => ({ ...signed(), 'x-svc-agent-id': 'ada' }),
      'a malformed timestamp': () => ({ ...signed(), 'x-svc-timestamp': '1.5' }),
      'a malformed nonce': () => ({ ...signed(), 'x-svc-nonce': 'short' }),
      'a malformed signature': () => ({ ...signed(), 'x-svc-signature': 'short' }),
      'a header sent twice': () => ({ ...signed(), 'X-Svc-Nonce': 'AAAAAAAAAAAAAAAAAAAAAA' }),
      'a time outside the window': () => ada.headers('POST', PATH, { skewSeconds: -400 }, Buffer.from('{}')),
    };
    for (const [what, headers] of Object.entries(faults)) {
      it(`is answered 401 from the head: ${what}`, async () => {
        const { received } = await begin(headers());
        await eventually(() => received().includes('{"error":"unauthorized"}'), 5_000, what);
        assert.match(received(), /^HTTP\/1\.1 401 .*\r\nConnection: close\r\n/is);
      });
    }

    it('is awaited when the headers have their form', async () => {
      const { received } = await begin(signed(), '{"title":');
      const { status } = await ada.post(PATH, { title: 't', body: 'b' });
      assert.deepEqual([status, received()], [201, '']);
    });

    it('leaves the connection open after 401 when the body was there', async () => {
      const answer = await ada.anonymous('POST', PATH, { body: { title: 't', body: 'b' } });
      assert.deepEqual([answer.status, answer.headers.get('connection')], [401, 'keep-alive']);
    });
  });

  it('is given up with 503 beyond 64 MB of all of them, the oldest first', async () => {
    const part = 'x'.repeat(BODY_BYTES).slice(0, 499_000);
    const begun: { received: () => string }[] = [];
    for (let n = 0; n < UNFINISHED; n++) begun.push(await begin(signed(), part));
    const refused = () => begun.filter(({ received }) => received().includes('{"error":"unavailable"}'));
    const most = Math.floor(BUDGET_BYTES / part.length);
    await eventually(() => refused().length >= UNFINISHED - most, 20_000, 'the others are refused');
    assert.match(begun[0]!.received(), /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n/is);
    assert.equal(begun.at(-1)!.received(), '');
    const large = await ada.post(PATH, { title: 'Still', body: 'é'.repeat(20_000) });
    assert.equal(large.status, 201);
  });
});
