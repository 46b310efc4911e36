import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { describeLoss, requireRedis } from '../../src/ops/redis.ts';
import { connectRedis, type RedisConnection } from '../../src/platform/redis/redis.ts';
import { redisForTest } from '../support/database.ts';
import { eventually, scaleWait } from '../support/waits.ts';
import { EXPIRED } from './support/expiredCertificate.ts';

describe('the time limit of Redis', () => {
  let redis: RedisConnection;
  let way: Server;
  const sockets: Socket[] = [];
  let isOpen = true;
  /** A way to Redis that can be closed without a word. */
  before(async () => {
    const url = new URL((await redisForTest()).url);
    const [port, host] = [Number(url.port), url.hostname];
    way = createServer((socket) => {
      const beyond = connect(port, host);
      sockets.push(socket, beyond);
      for (const each of [socket, beyond]) each.on('error', () => {});
      socket.on('data', (bytes) => isOpen && beyond.write(bytes));
      beyond.on('data', (bytes) => isOpen && socket.write(bytes));
    });
    way.listen(0, '127.0.0.1');
    await once(way, 'listening');
    url.port = String((way.address() as { port: number }).port);
    redis = connectRedis({ redisUrl: url.href, redisClusterNodes: undefined }, 'admission');
    await requireRedis(redis, 5_000);
  });
  after(() => {
    redis.disconnect();
    for (const socket of sockets) socket.destroy();
    way.close();
  });

  it('does not count the time in which this process was busy', async () => {
    // Directly, because the way above runs in this process too.
    const direct = connectRedis({ redisUrl: (await redisForTest()).url, redisClusterNodes: undefined }, 'admission');
    try {
      await requireRedis(direct, 5_000);
      const answers = Promise.all([direct.set('a', '1'), direct.get('a')]);
      // The commands leave at the end of this tick.
      await sleep(0);
      const busyUntil = performance.now() + 900;
      while (performance.now() < busyUntil);
      assert.deepEqual(await answers, ['OK', '1']);
    } finally {
      direct.disconnect();
    }
  });

  it('ends a command that is not answered', async () => {
    isOpen = false;
    const startedAt = performance.now();
    await assert.rejects(redis.get('a'));
    const ms = performance.now() - startedAt;
    assert.ok(ms > 400 && ms < scaleWait(2_500), `${ms} ms`);
  });
});

describe('the certificates of Redis', () => {
  it('stop the start with a message if their file is missing', () => {
    const address = { redisUrl: undefined, redisClusterNodes: [{ host: '127.0.0.1', port: 1 }] };
    assert.throws(() => connectRedis({ ...address, redisTlsCa: '/nowhere/ca.pem' }, 'admission'), {
      name: 'StartupError',
      message: 'REDIS_TLS_CA names a file that is not readable (ENOENT). Correct the path or the permissions',
    });
  });

  describe('after their expiry', () => {
    let server: TlsServer;
    let directory: string;
    let redisTlsCa: string;
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'forum-redis-'));
      redisTlsCa = join(directory, 'ca.pem');
      await writeFile(redisTlsCa, EXPIRED.cert);
      server = createTlsServer(EXPIRED);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    after(async () => {
      server.close();
      await rm(directory, { recursive: true });
    });

    for (const kind of ['one server', 'a cluster']) {
      it(`are reported, of ${kind}`, async () => {
        const { port } = server.address() as { port: number };
        const redisClusterNodes = kind === 'a cluster' ? [{ host: '127.0.0.1', port }] : undefined;
        const redis = connectRedis(
          { redisUrl: `rediss://127.0.0.1:${port}`, redisClusterNodes, redisTlsCa },
          'admission',
        );
        try {
          const told = () =>
            describeLoss(redis) === 'has a certificate that is expired or not yet valid, by the clock of this host';
          await eventually(told);
          // Nor later, when the cluster has given up all its nodes.
          await sleep(scaleWait(200));
          assert.ok(told());
        } finally {
          redis.disconnect();
        }
      });
    }
  });
});
