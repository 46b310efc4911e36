import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrateLatest } from '../../../migrations/run.ts';
import { type Account, chooseAccount } from '../../../src/tools/dev/account.ts';
import { compileTree } from '../../../src/tools/dev/compiled.ts';
import { type ServiceProcess, startProcess } from '../../faults/support/processes.ts';
import { Crowd } from '../../releases/support/crowd.ts';
import { THIS_TREE } from '../../releases/support/trees.ts';
import { TestAgent } from '../../support/agent.ts';
import { makeTestDirectory } from '../../support/directories.ts';
import { eventually } from '../../support/waits.ts';
import { HostsCaller } from './caller.ts';
import { fakeTime } from './fakeTime.ts';
import { type Host, Network } from './network.ts';
import { HostPostgres } from './postgres.ts';
import { RedisCluster } from './redis.ts';

const LIMITS = ['POSTS', 'REPLIES', 'VOTES', 'BOUNTY_WRITES', 'COMMUNITY_WRITES', 'FEEDBACK_WRITES'];
const PORT = 8080;
const OPS_PORT = 9464;
const DELIVERY_MS = 60_000;
/** The pause between two actions of a caller. The hosts share one machine. */
const PAUSE_MS = 60;
const STARTS = 3;
const MOST_PROCESSES = 64;

export type Kind = 'api' | 'worker';

/** A process of the service on its host. */
export interface Placed {
  readonly kind: Kind;
  readonly host: Host;
  readonly process: ServiceProcess;
}

/** Two API hosts and two worker hosts on a primary, its replica and a Redis Cluster, with the load of a crowd. */
export class HostsStage {
  readonly network: Network;
  readonly hosts: Readonly<Record<string, Host>>;
  readonly primary: HostPostgres;
  readonly redis: RedisCluster;
  replica: HostPostgres;
  readonly caller = new HostsCaller();
  readonly crowd: Crowd;
  readonly pool: pg.Pool;
  readonly running: Placed[] = [];
  readonly #directory: string;
  readonly #account: Account | undefined;
  readonly #env: { DATABASE_URL: string; REDIS_URL: string } & Record<string, string>;
  #acting: { over: AbortController; done: Promise<void> } | undefined;
  readonly #undo: (() => Promise<unknown>)[];

  private constructor(parts: {
    network: Network;
    hosts: Record<string, Host>;
    primary: HostPostgres;
    replica: HostPostgres;
    redis: RedisCluster;
    directory: string;
    account: Account | undefined;
    undo: (() => Promise<unknown>)[];
  }) {
    this.network = parts.network;
    this.hosts = parts.hosts;
    this.primary = parts.primary;
    this.replica = parts.replica;
    this.redis = parts.redis;
    this.#undo = parts.undo;
    this.#directory = parts.directory;
    this.#account = parts.account;
    const operatorSeed = randomBytes(32);
    this.crowd = new Crowd(this.caller, operatorSeed, PAUSE_MS);
    this.pool = new pg.Pool({
      connectionString: this.primary.url,
      max: 4,
      options: '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0',
    });
    this.pool.on('error', () => {});
    this.#undo.push(() => this.pool.end());
    this.#env = {
      DATABASE_URL: this.primary.url,
      DATABASE_READ_URL: this.replica.url,
      REDIS_URL: '',
      REDIS_CLUSTER_NODES: this.redis.nodes,
      REDIS_CLUSTER_PASSWORD: this.redis.password,
      REDIS_TLS_CA: this.redis.authority,
      OPERATOR_AGENT_ID: new TestAgent('', Date.now, operatorSeed).agentId,
      PORT: String(PORT),
      OPS_PORT: String(OPS_PORT),
      ...Object.fromEntries(LIMITS.map((name) => [`LIMIT_${name}`, '1000000'])),
    };
  }

  static async open(): Promise<HostsStage> {
    // Each process adds a listener that ends it with this process.
    process.setMaxListeners(MOST_PROCESSES);
    const undo: (() => Promise<unknown>)[] = [];
    try {
      const directory = await makeTestDirectory();
      undo.push(() => rm(directory, { recursive: true, force: true }));
      const account = await chooseAccount(directory);
      const network = await Network.open();
      undo.push(() => network.close());
      const hosts: Record<string, Host> = {};
      for (const name of ['api1', 'api2', 'worker1', 'worker2', 'primary', 'replica', 'redis1', 'redis2', 'redis3']) {
        hosts[name] = await network.addHost(name);
      }
      const primary = await HostPostgres.primary(hosts.primary!, directory, account);
      undo.push(() => primary.stop());
      await migrateLatest(primary.url);
      const replica = await HostPostgres.replicaOf(primary, hosts.replica!, directory, account);
      const redisDirectory = join(directory, 'redis');
      await mkdir(redisDirectory, { mode: 0o711 });
      const redisHosts = [hosts.redis1!, hosts.redis2!, hosts.redis3!];
      const redis = await RedisCluster.start(redisHosts, redisDirectory, account);
      undo.push(() => redis.stop());
      const stage = new HostsStage({ network, hosts, primary, replica, redis, directory, account, undo });
      undo.push(() => stage.replica.stop());
      undo.push(() => stage.#endAll());
      for (const name of ['api1', 'api2', 'worker1', 'worker2']) await stage.start(name);
      return stage;
    } catch (error) {
      for (const step of undo.splice(0).reverse()) await step();
      throw error;
    }
  }

  /** Starts a process of the host's kind. `clockOff` is the error of its clock, such as `+300s`. */
  async start(
    name: string,
    { root = THIS_TREE, port = PORT, clockOff }: { root?: string; port?: number; clockOff?: string } = {},
  ): Promise<Placed> {
    const host = this.hosts[name]!;
    const kind: Kind = name.startsWith('api') ? 'api' : 'worker';
    const env = {
      ...this.#env,
      PORT: String(port),
      HOST: host.address,
      OPS_HOST: host.address,
      ...(clockOff && fakeTime(clockOff)),
    };
    const started = await startAsSupervised(() => startProcess(kind, env, root, host.launch));
    const placed = { kind, host, process: started };
    this.running.push(placed);
    if (kind === 'api') this.caller.add(started.url);
    return placed;
  }

  /** Stops in order, as a supervisor does. */
  async stop(placed: Placed): Promise<void> {
    const { code } = await placed.process.end('SIGTERM');
    this.#forget(placed);
    if (code !== 0) throw new Error(`a process ended with ${code}:\n${placed.process.output()}`);
  }

  /** Disconnects a host and ends its processes. Callers get no error. */
  async lose(name: string): Promise<Placed[]> {
    const host = this.hosts[name]!;
    await host.plug(false);
    const lost = this.running.filter((placed) => placed.host === host);
    for (const placed of lost) await placed.process.end('SIGKILL');
    return lost;
  }

  /** The host is connected again and runs no process. */
  async returned(name: string, lost: readonly Placed[]): Promise<void> {
    await this.hosts[name]!.plug(true);
    for (const placed of lost) this.#forget(placed);
  }

  /** A new replica, copied from the current primary, under the address of the lost one. */
  async renewReplica(): Promise<void> {
    this.replica = await HostPostgres.replicaOf(this.primary, this.hosts.replica!, this.#directory, this.#account);
  }

  of(name: string): Placed {
    return this.running.find(({ host }) => host === this.hosts[name])!;
  }

  async migrate(root: string): Promise<void> {
    const program = join(await compileTree(root), 'migrations/run.js');
    await promisify(execFile)(process.execPath, [program], { cwd: root, env: { ...process.env, ...this.#env } });
  }

  begin(): void {
    const over = new AbortController();
    const done = this.crowd.actUntil(over.signal);
    done.catch(() => {});
    this.#acting = { over, done };
  }

  /** Continues for this time. */
  async act(ms: number): Promise<void> {
    await Promise.race([sleep(ms), this.#acting?.done]);
  }

  /** Waits until no caller acts, every outcome is known, all events are delivered, and the log has every write. */
  async settle(): Promise<void> {
    this.#acting?.over.abort();
    await this.#acting?.done;
    this.#acting = undefined;
    const queues = `SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM log_pending) AS waiting`;
    await eventually(
      async () => Number((await this.pool.query(queues)).rows[0].waiting) === 0,
      DELIVERY_MS,
      'delivery',
    );
  }

  async close(): Promise<void> {
    this.#acting?.over.abort();
    for (const step of this.#undo.splice(0).reverse()) await step();
  }

  #forget(placed: Placed): void {
    this.running.splice(this.running.indexOf(placed), 1);
    if (placed.kind === 'api') this.caller.remove(placed.process.url);
  }

  async #endAll(): Promise<void> {
    await Promise.all(this.running.map(({ process }) => process.end('SIGKILL')));
  }
}

/** Starts again if a start fails, as a supervisor does. */
async function startAsSupervised(start: () => Promise<ServiceProcess>): Promise<ServiceProcess> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (attempt === STARTS) throw error;
    }
  }
}
