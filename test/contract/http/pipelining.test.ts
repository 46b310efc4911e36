import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import { type ListeningServer, listen } from '../../../src/http/app.ts';
import { together } from '../../support/together.ts';
import { eventually } from '../../support/waits.ts';

const LARGE_BYTES = 24_000_000;

/** The server alone, with an application of the test's own that says what it was asked. */
describe('pipelined requests', function () {
  this.timeout(60_000);
  let server: ListeningServer;
  let running = 0;
  let mostRunning = 0;
  let started = 0;
  const closed: string[] = [];
  const sockets: Socket[] = [];
  before(async () => {
    const app = new Koa();
    app.silent = true;
    app.use(async (koa) => {
      // The clients of the last test run beside the others.
      const isOfLast = koa.path.startsWith('/large/');
      started += isOfLast ? 0 : 1;
      running += isOfLast ? 0 : 1;
      mostRunning = Math.max(mostRunning, running);
      if (koa.path.startsWith('/large/')) koa.req.socket.once('close', () => closed.push(koa.path));
      if (koa.path.startsWith('/slow')) await sleep(20);
      const sent = koa.method === 'POST' ? await text(koa.req) : '';
      koa.body = koa.path.startsWith('/large') ? 'x'.repeat(LARGE_BYTES) : `${koa.path} ${sent}\n`;
      running -= isOfLast ? 0 : 1;
    });
    server = await listen(app, { now: Date.now, aheadMs: 0 }, { host: '127.0.0.1', port: 0 });
  });
  beforeEach(() => {
    mostRunning = 0;
    started = 0;
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(() => server.drain());

  function connected(): Socket {
    const { hostname, port } = new URL(server.url);
    return connect(Number(port), hostname).on('error', () => {});
  }

  /** Until the test ends. */
  function open(): Socket {
    const socket = connected();
    sockets.push(socket);
    return socket;
  }

  /** Everything that is received until it ends with `last`. */
  async function receive(socket: Socket, last: string): Promise<string> {
    const received: string[] = [];
    let end = '';
    for await (const chunk of socket) {
      received.push(String(chunk));
      // A look at the end of all would copy all of it, for each chunk.
      end = (end + chunk).slice(-last.length);
      if (end === last) break;
    }
    return received.join('');
  }

  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const pathsOf = (received: string) => [...received.matchAll(/\r\n\r\n(\/\S*) (\S*)\n/g)].map(([, path]) => path);

  it('are executed one after the other and answered in order', async () => {
    const paths = Array.from({ length: 200 }, (_, n) => `/slow/${n}`);
    const socket = open();
    socket.write(paths.map(get).join(''));
    assert.deepEqual(pathsOf(await receive(socket, '/slow/199 \n')), paths);
    assert.equal(mostRunning, 1);
  });

  it('keep their bodies apart, however they are cut', async () => {
    const one = (n: number) => `{"n":${n},"blank":"\r\n\r\n"}`.replaceAll('"blank"', `"${'b'.repeat(n * 7)}"`);
    const requests = Array.from({ length: 60 }, (_, n) => {
      const body = one(n);
      const head = `POST /slow/${n} HTTP/1.1\r\nHost: a\r\n`;
      if (n % 3 === 0) return get(`/slow/${n}`);
      if (n % 3 === 1) return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
      const [first, rest] = [body.slice(0, 3), body.slice(3)];
      const chunks = [first, rest].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
      return `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
    });
    const bytes = Buffer.from(requests.join(''));
    for (const steps of [[1], [7], [64], [150], [331], [1_000], [bytes.length], [3, 90, 17, 260, 5]]) {
      const socket = open();
      socket.setNoDelay(true);
      const received = receive(socket, `${one(59)}\n`);
      for (let at = 0, n = 0; at < bytes.length; n++) {
        const step = steps[n % steps.length]!;
        socket.write(bytes.subarray(at, at + step));
        at += step;
        if (step >= 64 || at % 128 < step) await new Promise((resolve) => setImmediate(resolve));
      }
      const bodies = (await received).split(/HTTP\/1\.1 200 OK\r\n(?:[^\r\n]+\r\n)+\r\n/).slice(1);
      assert.deepEqual(
        bodies,
        Array.from({ length: 60 }, (_, n) => `/slow/${n} ${n % 3 === 0 ? '' : one(n)}\n`),
        `in steps of ${steps}`,
      );
      assert.equal(mostRunning, 1);
    }
  });

  it('wait while the client takes no answer', async () => {
    const socket = open();
    socket.pause();
    socket.write(get('/large').repeat(50));
    await eventually(() => started >= 1);
    await sleep(500);
    assert.equal(started, 1);
  });

  it('wait, also if sent one at a time, while the client takes no answer', async () => {
    const socket = open();
    socket.pause();
    socket.write(get('/large'));
    await eventually(() => started === 1 && running === 0);
    for (let n = 0; n < 3; n++) {
      socket.write(get(`/${n}`));
      await sleep(100);
    }
    assert.equal(started, 1);
    assert.deepEqual(pathsOf((await receive(socket, '/2 \n')).slice(LARGE_BYTES)), ['/0', '/1', '/2']);
  });

  it('end with the ten thousandth, whose answer says Connection: close', async () => {
    const socket = open();
    const received = receive(socket, 'never');
    socket.write(get('/').repeat(10_050));
    const answers = (await received).split('HTTP/1.1 200 OK').slice(1);
    assert.equal(answers.length, 10_000);
    assert.ok(answers.slice(0, -1).every((each) => /connection: keep-alive/i.test(each)));
    assert.match(answers.at(-1)!, /connection: close/i);
  });

  it('are not executed after one that says Connection: close', async () => {
    const socket = open();
    const received = receive(socket, 'never');
    socket.write(`${get('/1')}GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${get('/3')}`);
    assert.deepEqual(pathsOf(await received), ['/1', '/2']);
    assert.equal(started, 2);
  });

  it('are not looked for in what follows Connection: close', async () => {
    for (const behind of ['\r\n', 'no HTTP', 'no HTTP\r\n\r\n', 'GET /3 HTTP/1.1\r\nHost: a\r\n']) {
      const socket = open();
      const received = receive(socket, 'never');
      socket.write(`POST /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}${behind}`);
      const [answer, ...more] = (await received).split(/(?=HTTP\/1\.1 )/);
      assert.match(answer!, /^HTTP\/1\.1 200 .*\/slow \{\}\n$/s, behind);
      assert.deepEqual(more, [], behind);
    }
  });

  it('do not cut off an answer that the client still takes while the server drains', async () => {
    const app = new Koa();
    app.silent = true;
    app.use((koa) => {
      koa.body = koa.path === '/large' ? 'x'.repeat(LARGE_BYTES) : 'short';
    });
    const other = await listen(app, { now: Date.now, aheadMs: 0 }, { host: '127.0.0.1', port: 0 });
    const socket = connect(Number(new URL(other.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.write(get('/large') + get('/short').repeat(10));
    await once(socket, 'readable');
    const drained = other.drain();
    await sleep(200);
    let taken = 0;
    for await (const chunk of socket) taken += chunk.length;
    assert.ok(taken >= LARGE_BYTES, `${taken} bytes`);
    await drained;
  });

  it('draining marks the last answer of each connection and loses none', async () => {
    const app = new Koa();
    app.use(async (koa) => {
      await sleep(2);
      koa.body = 'short';
    });
    const other = await listen(app, { now: Date.now, aheadMs: 0 }, { host: '127.0.0.1', port: 0 });
    const port = Number(new URL(other.url).port);
    let answers = 0;
    const clients = Array.from({ length: 16 }, async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      sockets.push(socket);
      for (;;) {
        socket.write(get('/'));
        const [answer] = (await once(socket, 'data')) as [Buffer];
        answers += 1;
        if (/^connection: close/im.test(answer.toString())) return;
      }
    });
    await eventually(() => answers > 100);
    await other.drain();
    const late = sleep(5_000, undefined, { ref: false }).then(() => assert.fail('a request had no answer'));
    await Promise.race([Promise.all(clients), late]);
  });

  together({
    'a client that takes nothing is disconnected; one that takes a little is not': async () => {
      const [dead, slow] = [connected(), connected()];
      dead.pause();
      slow.pause();
      dead.write(get('/large/dead'));
      slow.write(get('/large/slow'));
      const startedAt = performance.now();
      let taken = 0;
      slow.on('data', (chunk: Buffer) => {
        taken += chunk.length;
        slow.pause();
      });
      const trickle = setInterval(() => slow.resume(), 20);
      await eventually(() => closed.includes('/large/dead'), 30_000);
      const seconds = (performance.now() - startedAt) / 1_000;
      console.log(`        disconnected after ${seconds.toFixed(1)} s`);
      assert.ok(seconds > 9 && !closed.includes('/large/slow'));
      clearInterval(trickle);
      slow.removeAllListeners('data');
      slow.on('data', (chunk: Buffer) => {
        taken += chunk.length;
      });
      slow.resume();
      await eventually(() => taken >= LARGE_BYTES);
      slow.destroy();
    },
  });
});
