import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrateLatest } from '../../migrations/run.ts';
import { primaryUrl } from '../../src/platform/postgres/primary.ts';
import { type Account, chooseAccount } from '../../src/tools/dev/account.ts';
import { type ServiceProcess, startProcess } from '../faults/support/processes.ts';
import { THIS_TREE } from '../releases/support/trees.ts';
import { TestAgent } from '../support/agent.ts';
import { makeTestDirectory } from '../support/directories.ts';
import { eventually } from '../support/waits.ts';
import { audit } from './support/audit.ts';
import { HostsCaller } from './support/caller.ts';
import { SeenHeads } from './support/heads.ts';
import { type Host, Network } from './support/network.ts';
import { PatroniCluster } from './support/patroni.ts';
import { SentinelRedis } from './support/sentinel.ts';

/** 50 writes a second: each of these agents writes once a second. */
const AGENTS_OF_AN_API = 25;
const PAUSE_MS = 1_000;
const CALM_MS = 5_000;
/** Longer than in-flight writes are still acknowledged after a fault. */
const FAULT_SHOWS_MS = 4_000;
const MOST_SECONDS = 30;
const REPLAYS = 20;
const READ_PAUSE_MS = 200;
const MOST_PROCESSES = 64;

/** Agents that write to one API, and the times at which their writes were acknowledged. */
class Load {
  readonly caller = new HostsCaller();
  readonly #agents = Array.from({ length: AGENTS_OF_AN_API }, () => new TestAgent(''));
  readonly #posts: string[] = [];
  acknowledgedAt: number[] = [];
  readonly #reads: { readonly at: number; readonly status: number }[] = [];
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
    this.caller.add(url);
    this.caller.expectsUnavailable = true;
  }

  async gather(): Promise<void> {
    for (const agent of this.#agents) await this.caller.register(agent, `a-${randomBytes(6).toString('hex')}`);
  }

  async actUntil(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#readUntil(signal),
      ...this.#agents.map(async (agent, index) => {
        await sleep((index * PAUSE_MS) / AGENTS_OF_AN_API);
        while (!signal.aborted) {
          const startedAt = performance.now();
          await this.#write(agent);
          this.acknowledgedAt.push(performance.now());
          await sleep(Math.max(0, startedAt + PAUSE_MS - performance.now()));
        }
      }),
    ]);
  }

  /** Reads without a signature. */
  async #readUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const at = performance.now();
      const status = await fetch(`${this.#url}/v1/posts`).then(
        async (answer) => {
          await answer.text();
          return answer.status;
        },
        () => 0,
      );
      this.#reads.push({ at, status });
      await sleep(READ_PAUSE_MS);
    }
  }

  /** A post, or a reply to a post of another agent. */
  async #write(agent: TestAgent): Promise<void> {
    const post = this.#posts[Math.floor(Math.random() * this.#posts.length)];
    if (post && Math.random() < 0.5) {
      await this.caller.write(agent, `/v1/posts/${post}/replies`, { body: 'A reply' }, [201]);
      return;
    }
    const made = await this.caller.write(agent, '/v1/posts', { title: 'A title', body: 'A body' }, [201]);
    if (made) this.#posts.push(made.body.post.postId);
  }

  writesAgain(sinceMs: number): boolean {
    const now = performance.now();
    return now - sinceMs > FAULT_SHOWS_MS && this.acknowledgedAt.filter((at) => at > now - 2_000).length > 25;
  }

  /** Seconds from the fault to the first write after the longest pause. */
  pauseAfter(faultAt: number): number {
    const times = [faultAt, ...this.acknowledgedAt.filter((at) => at > faultAt)];
    const pauses = times.slice(1).map((at, index) => ({ ms: at - times[index]!, at }));
    const longest = pauses.reduce((most, pause) => (pause.ms > most.ms ? pause : most));
    return (longest.at - faultAt) / 1_000;
  }

  /** The share of reads since the fault and before the first write that succeeded, as `successes/reads`. */
  readsWithin(faultAt: number, seconds: number): string {
    const reads = this.#reads.filter(({ at }) => at > faultAt && at < faultAt + seconds * 1_000);
    return `${reads.filter(({ status }) => status === 200).length}/${reads.length}`;
  }

  /** Sends acknowledged writes once more, with the same nonce and a new signature. Returns the statuses. */
  async replay(): Promise<number[]> {
    const recent = this.caller.acknowledged.filter(({ path }) => path === '/v1/posts').slice(-REPLAYS);
    return Promise.all(
      recent.map(async ({ agentId, nonce, path }) => {
        const agent = this.#agents.find((each) => each.agentId === agentId)!.at(this.#url);
        const body = { title: 'A title', body: 'A body' };
        return (await agent.signed('POST', path, { nonce, body })).status;
      }),
    );
  }
}

/**
 * One API and one worker name all database hosts in DATABASE_URL. The other two reach the primary through HAProxy.
 * All reach Redis by Sentinel.
 */
describe('failover', function () {
  this.timeout(600_000);
  const undo: (() => Promise<unknown>)[] = [];
  const hosts: Record<string, Host> = {};
  const processes: Record<string, ServiceProcess> = {};
  const loads: Load[] = [];
  let directory: string;
  let account: Account | undefined;
  let databases: PatroniCluster;
  let redis: SentinelRedis;
  let heads: SeenHeads;

  before(async () => {
    // Each process adds a listener that ends it with this process.
    process.setMaxListeners(MOST_PROCESSES);
    directory = await makeTestDirectory();
    undo.push(() => rm(directory, { recursive: true, force: true }));
    account = await chooseAccount(directory);
    const network = await Network.open();
    undo.push(() => network.close());
    for (const name of ['db1', 'db2', 'db3', 'redis1', 'redis2', 'redis3', 'api1', 'api2', 'worker1', 'worker2'])
      hosts[name] = await network.addHost(name);
    const named = (...names: string[]) => names.map((name) => hosts[name]!);
    databases = await PatroniCluster.start(named('db1', 'db2', 'db3'), directory, account);
    undo.push(() => databases.stop());
    for (const host of named('api2', 'worker2')) await databases.startProxy(host, directory);
    await migrateLatest(databases.url);
    const redisDirectory = join(directory, 'redis');
    await mkdir(redisDirectory, { mode: 0o711 });
    redis = await SentinelRedis.start(named('redis1', 'redis2', 'redis3'), redisDirectory, account);
    undo.push(() => redis.stop());
    const logKey = randomBytes(32).toString('base64url');
    for (const name of ['api1', 'worker1', 'api2', 'worker2']) processes[name] = await startService(name, logKey);
    undo.push(() => Promise.all(Object.values(processes).map((each) => each.end('SIGKILL'))));
    for (const name of ['api1', 'api2']) loads.push(new Load(processes[name]!.url));
    for (const load of loads) await load.gather();
    heads = new SeenHeads([processes.api1!.url, processes.api2!.url]);
    undo.push(() => heads.stop());
  });
  after(async () => {
    for (const step of undo.reverse()) await step();
  });

  async function startService(name: string, logKey: string): Promise<ServiceProcess> {
    const host = hosts[name]!;
    const isWorker = name.startsWith('worker');
    const env = {
      DATABASE_URL: name.endsWith('1') ? databases.url : databases.proxiedUrl,
      ...(name === 'api2' ? { DATABASE_READ_URL: databases.proxiedUrl.replace(':5000', ':5001') } : {}),
      REDIS_URL: redis.url,
      REDIS_TLS_CA: redis.authority,
      HOST: host.address,
      PORT: '8080',
      OPS_HOST: host.address,
      LIMIT_POSTS: '1000000',
      LIMIT_REPLIES: '1000000',
      ...(isWorker ? { LOG_SIGNING_KEY: logKey, LOG_MEMORY_DIR: join(directory, `${name}-memory`) } : {}),
    };
    return startProcess(isWorker ? 'worker' : 'api', env, THIS_TREE, host.launch);
  }

  /** Causes a fault under load, and repairs it once both APIs write again. Fails if writes are lost or doubled. */
  async function survive(fault: () => Promise<unknown>, repair: () => Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const before = loads.map(({ caller }) => caller.acknowledged.length);
    const acting = Promise.all(loads.map((load) => load.actUntil(over.signal)));
    acting.catch(() => {});
    try {
      await sleep(CALM_MS);
      const faultAt = performance.now();
      await fault();
      await eventually(() => loads.every((load) => load.writesAgain(faultAt)), 60_000, 'writing');
      const seconds = loads.map((load) => Number(load.pauseAfter(faultAt).toFixed(1)));
      await repair();
      over.abort();
      await acting;
      const writes = loads.map(({ caller }, index) => caller.acknowledged.length - before[index]!);
      const reads = loads.map((load, index) => load.readsWithin(faultAt, seconds[index]!));
      console.log(`      by several hosts, by HAProxy: ${writes} writes; the first after the fault: ${seconds} s`);
      console.log(`      reads until then, without a replica and with one: ${reads}`);
      for (const each of seconds) assert.ok(each < MOST_SECONDS, `${each} s`);
    } finally {
      over.abort();
      await acting;
    }
    await reconcile();
  }

  async function reconcile(): Promise<void> {
    for (const { caller } of loads) assert.deepEqual(caller.problems.splice(0), []);
    for (const { pid } of Object.values(processes)) assert.ok(process.kill(pid, 0), 'no process of the service ended');
    const url = await primaryUrl(databases.url);
    const pool = new pg.Pool({ connectionString: url, max: 2, options: '-c statement_timeout=0' });
    try {
      const queues = `SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM log_pending) AS waiting`;
      await eventually(async () => Number((await pool.query(queues)).rows[0].waiting) === 0, 60_000, 'delivery');
      for (const load of loads) {
        const statuses = await load.replay();
        assert.ok(statuses.length > 0 && statuses.every((status) => status === 401), `replays: ${statuses}`);
      }
      const callers = loads.map(({ caller }) => caller);
      const caller = {
        acknowledged: callers.flatMap(({ acknowledged }) => acknowledged),
        givenUp: callers.flatMap(({ givenUp }) => givenUp),
        registered: callers.flatMap(({ registered }) => registered),
      };
      await audit({ caller, pool, primary: { url } });
      const { problems, count, size } = await heads.compare(url);
      console.log(
        `      ${caller.acknowledged.length} writes so far, none lost or doubled; ${count} heads up to ${size}`,
      );
      assert.deepEqual(problems, []);
    } finally {
      await pool.end();
    }
  }

  it('follows the primary when it is killed', async () => {
    const lost = (await databases.leader())!;
    await survive(
      () => databases.kill(lost),
      async () => {
        await databases.startAgain(lost);
        await databases.whole();
      },
    );
  });

  it('follows the primary when its host is cut off', async () => {
    const lost = hosts[(await databases.leader())!]!;
    await survive(
      () => lost.plug(false),
      async () => {
        await lost.plug(true);
        await databases.whole();
      },
    );
  });

  it('follows the primary when it is switched over', async () => {
    await survive(
      () => databases.switchOver(),
      () => databases.whole(),
    );
  });

  it('follows the master of Redis when its host is killed', async () => {
    const lost = await redis.master();
    await survive(
      () => redis.kill(lost),
      async () => {
        await redis.startAgain(lost);
        await redis.whole();
      },
    );
  });
});
