import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { scaleWait } from '../../support/waits.ts';

const PROBES = 60;
const BOUND_MS = 1_000;

/** Others must be answered meanwhile: aimed at 100 ms at the median, asserted generously. */
describe('slow and hostile clients', function () {
  this.timeout(40_000);
  let forum: TestForum;
  let ada: TestAgent;
  let postPath: string;
  const sockets: Socket[] = [];
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
    postPath = `/v1/posts/${(await ada.post('/v1/posts', { title: 't', body: 'b' })).body.post.postId}`;
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(() => forum.stop());

  async function open(): Promise<Socket> {
    const { hostname, port } = new URL(forum.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  async function assertOthersAreAnswered(what: string): Promise<void> {
    const times: number[] = [];
    for (let n = 0; n < PROBES; n++) {
      const startedAt = performance.now();
      const { status } = n % 10 === 0 ? await ada.post('/v1/posts/preview', { title: 't', body: 'b' }) : await read();
      times.push(performance.now() - startedAt);
      assert.equal(status, 200);
    }
    times.sort((a, b) => a - b);
    const [median, slowest] = [times[PROBES / 2]!, times.at(-1)!];
    console.log(`        ${what}: others in ${median.toFixed(1)} ms at the median, ${slowest.toFixed(1)} ms at worst`);
    assert.ok(median < scaleWait(BOUND_MS), `${median} ms`);
  }

  const read = () => ada.anonymous('GET', postPath);

  it('a thousand idle connections', async () => {
    await Promise.all(Array.from({ length: 1_000 }, open));
    await assertOthersAreAnswered('1,000 idle connections');
    assert.ok(
      sockets.every((socket) => !socket.destroyed),
      'and they stay',
    );
  });

  it('a body that trickles in', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, open));
    const head =
      'POST /v1/posts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n';
    for (const socket of slow) socket.write(head);
    const trickle = setInterval(() => {
      for (const socket of slow) socket.write('x');
    }, 20);
    try {
      await assertOthersAreAnswered('50 slow bodies');
    } finally {
      clearInterval(trickle);
    }
  });

  it('bodies of 30 KB of brackets and of 600 KB', async () => {
    const brackets = '['.repeat(30_000);
    const large = Buffer.alloc(600_000, '[');
    let isOver = false;
    const hostile = async () => {
      while (!isOver) {
        await ada.signed('POST', '/v1/posts', { rawBody: brackets });
        await ada.anonymous('POST', '/v1/posts', { rawBody: large });
      }
    };
    const running = Promise.all([hostile(), hostile()]);
    try {
      await assertOthersAreAnswered('hostile bodies');
    } finally {
      isOver = true;
      await running;
    }
  });

  it('headers that never end are given up after ten seconds', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, open));
    const answers = slow.map((socket) => once(socket, 'close'));
    const received: string[] = [];
    const startedAt = performance.now();
    for (const socket of slow) {
      socket.on('data', (chunk) => received.push(String(chunk)));
      socket.write('GET /v1/posts HTTP/1.1\r\nHost: a\r\n');
    }
    const trickle = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('X-More: x\r\n');
    }, 500);
    try {
      await assertOthersAreAnswered('50 clients that never finish their headers');
      await Promise.race([Promise.all(answers), sleep(scaleWait(20_000))]);
    } finally {
      clearInterval(trickle);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(`        closed after ${seconds.toFixed(1)} s`);
    assert.ok(slow.every((socket) => socket.closed) && seconds > 9 && seconds < scaleWait(15_000) / 1_000);
    assert.equal(received.length, slow.length);
    assert.ok(received.every((text) => text.endsWith('{"error":"invalid_request"}')));
  });
});
