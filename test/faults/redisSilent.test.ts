import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { TestAgent } from '../support/agent.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/waits.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

/** A way to a server on which nothing arrives any more, as when a host has gone without a word. */
class Way {
  readonly url: string;
  readonly #server: Server;
  readonly #links = new Set<readonly [Socket, Socket]>();

  private constructor(url: string, server: Server) {
    this.url = url;
    this.#server = server;
  }

  static async to(target: string): Promise<Way> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const own = String((server.address() as AddressInfo).port);
    const way = new Way(Object.assign(new URL(target), { hostname: '127.0.0.1', port: own }).href, server);
    server.on('connection', (near) => {
      const far = connect(Number(port), hostname);
      way.#links.add([near, far]);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.pipe(to).on('error', () => undefined);
        from.once('close', () => to.destroy());
      }
    });
    return way;
  }

  /** Those that are there fall silent; new ones are as before. */
  silence(): void {
    for (const [near, far] of this.#links) {
      near.unpipe(far).resume();
      far.unpipe(near).resume();
    }
  }

  close(): void {
    this.#server.close();
    for (const [near] of this.#links) near.destroy();
  }
}

describe('connections to Redis that fall silent', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let way: Way;
  let api: ServiceProcess;
  let worker: ServiceProcess;
  before(async () => {
    database = await createDatabase();
    way = await Way.to((await redisForTest()).url);
    const env = { DATABASE_URL: database.url, REDIS_URL: way.url };
    [api, worker] = await Promise.all([startProcess('api', env), startProcess('worker', env)]);
  });
  after(async () => {
    await Promise.all([api, worker].map((each) => each?.end('SIGKILL')));
    way.close();
    await database.drop();
  });

  it('are replaced: writes are accepted again, and events delivered', async () => {
    const newAgent = () => new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);
    const [ada, bob] = await Promise.all([newAgent(), newAgent()]);
    const { body } = await ada.post('/v1/posts', { title: 't', body: 'b' });
    const reply = () => bob.post(`/v1/posts/${body.post.postId}/replies`, { body: 'r' });
    way.silence();
    assert.equal((await reply()).status, 503);
    await eventually(async () => (await reply()).status === 201, 15_000);
    await eventually(async () => (await fetch(`${api.opsUrl}/ready`)).status === 200, 15_000);
    const told = async () => (await ada.get('/v1/inbox', 'type=reply')).body.items.length === 1;
    await eventually(told, 40_000);
  });
});
