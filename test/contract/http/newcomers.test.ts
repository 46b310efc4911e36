import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Koa from 'koa';
import { type ListeningServer, listen } from '../../../src/http/server.ts';

const REGULARS = 24;
const NEWCOMERS = 100;
/** Of the processor, for one request of a regular: a turn of the event loop has one of each. */
const BUSY_MS = 4;
const MOST_ROUNDS = 20;
/** Who connects anew for one dear request each, and how many of them at most are answered before somebody who was there. */
const DEAR = 60;
const DEAR_MS = 20;
const MOST_BEFORE = 30;

const BUSY: Readonly<Record<string, number>> = { '/busy': BUSY_MS, '/dear': DEAR_MS };

/** Node takes in one connection a turn of the event loop, and here every turn is long. */
describe('those who connect while the service is busy', function () {
  this.timeout(60_000);
  let server: ListeningServer;
  const sockets: Socket[] = [];
  before(async () => {
    const app = new Koa();
    app.use((koa) => {
      const until = performance.now() + (BUSY[koa.path] ?? 0);
      while (performance.now() < until);
      koa.body = koa.path;
    });
    server = await listen(app, { now: Date.now, aheadMs: 0 }, { host: '127.0.0.1', port: 0 });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await server.drain();
  });

  function open(): Socket {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    sockets.push(socket);
    return socket;
  }

  const ask = (socket: Socket, path: string) => socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);

  it('are heard before the others have been answered many times', async () => {
    let answers = 0;
    const first = Array.from({ length: REGULARS }, async () => {
      const socket = open().on('data', () => {
        answers += 1;
        ask(socket, '/busy');
      });
      ask(socket, '/busy');
      await once(socket, 'data');
    });
    await Promise.all(first);
    answers = 0;
    const heard = Array.from({ length: NEWCOMERS }, async () => {
      const socket = open();
      ask(socket, '/quick');
      await once(socket, 'data');
    });
    await Promise.all(heard);
    assert.ok(answers < REGULARS * MOST_ROUNDS, `${answers} answers before them`);
  });

  it('do not keep others waiting for long with what is dear', async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    const regular = open();
    ask(regular, '/quick');
    await once(regular, 'data');
    let answers = 0;
    const dear = Array.from({ length: DEAR }, async () => {
      const socket = open();
      ask(socket, '/dear');
      await once(socket, 'data');
      answers += 1;
    });
    await Promise.race(dear);
    ask(regular, '/quick');
    await once(regular, 'data');
    assert.ok(answers < MOST_BEFORE, `${answers} answers before it`);
    await Promise.all(dear);
  });
});
