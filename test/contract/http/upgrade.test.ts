import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startForum, type TestForum } from '../../support/forum.ts';

const UPGRADES: Readonly<Record<string, string>> = {
  websocket: 'Connection: Upgrade\r\nUpgrade: websocket\r\n',
  h2c: 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
  'an Upgrade that Connection does not name': 'Upgrade: websocket\r\n',
};
const NEXT = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';

describe('a request with Upgrade', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  /** Sends the pieces one after the other and returns all that came back until the connection was closed. */
  async function exchanged(...pieces: string[]): Promise<string> {
    const { hostname, port } = new URL(forum.url);
    const socket = connect(Number(port), hostname).setNoDelay();
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    for (const piece of pieces) {
      if (socket.writable) socket.write(piece);
      await sleep(30);
    }
    await closed;
    return received;
  }

  for (const [what, headers] of Object.entries(UPGRADES)) {
    const head = `GET /v1/posts HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
    const cuts: Readonly<Record<string, string[]>> = {
      'nothing behind it': [head],
      'the next request in the same packet': [head + NEXT],
      'the next request in another packet': [head, NEXT],
      'a cut in the middle of the head': [head.slice(0, 30), head.slice(30) + NEXT],
      'a cut behind the head': [`${head}GET /hea`, 'lth HTTP/1.1\r\nHost: a\r\n\r\n'],
    };
    for (const [cut, pieces] of Object.entries(cuts)) {
      it(`is answered and is the last of its connection: ${what}, ${cut}`, async function () {
        this.timeout(10_000);
        const received = await exchanged(...pieces);
        assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200']);
        assert.match(received, /\r\nConnection: close\r\n/i);
      });
    }
  }

  it('has its body read', async function () {
    this.timeout(10_000);
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const head = `POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${UPGRADES.websocket}Content-Length: ${body.length}\r\n\r\n`;
    for (const pieces of [[head + body + NEXT], [head, body, NEXT], [head + body.slice(0, 9), body.slice(9) + NEXT]]) {
      const received = await exchanged(...pieces);
      assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200']);
      assert.match(received, /"result":\{\}/);
    }
  });
});
