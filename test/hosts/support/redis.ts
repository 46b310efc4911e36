import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import type { Account } from '../../../src/tools/dev/account.ts';
import { findRedis } from '../../../src/tools/dev/redisBinary.ts';
import { type OwnServer, startOwnServer } from '../../faults/support/ownServer.ts';
import { cacheDirectory } from '../../support/directories.ts';
import { eventually } from '../../support/waits.ts';
import { fakeTime } from './fakeTime.ts';
import type { Host } from './network.ts';

const run = promisify(execFile);
const SLOTS = 16_384;
const MASTER = 6_379;
const REPLICA = 6_380;
/** A node that is silent for this long counts as lost, and its replica becomes the master. */
const NODE_TIMEOUT_MS = 2_000;

interface Node {
  readonly host: Host;
  readonly port: number;
  readonly client: Redis;
  server: OwnServer;
  readonly start: () => Promise<OwnServer>;
}

/** A cluster with TLS and a password. Each host runs a master, and a replica of the next host's master. */
export class RedisCluster {
  readonly password: string;
  /** The certificate of the authority that signed the certificates of all nodes. */
  readonly authority: string;
  readonly #nodes: readonly Node[];

  private constructor(password: string, authority: string, nodes: readonly Node[]) {
    this.password = password;
    this.authority = authority;
    this.#nodes = nodes;
  }

  static async start(hosts: readonly Host[], directory: string, account: Account | undefined): Promise<RedisCluster> {
    const password = randomBytes(16).toString('hex');
    const authority = await makeCertificates(hosts, directory, account);
    const nodes: Node[] = [];
    for (const port of [MASTER, REPLICA]) {
      for (const host of hosts) nodes.push(await startNode(host, { port, directory, account, password, authority }));
    }
    const cluster = new RedisCluster(password, authority, nodes);
    await cluster.#unite(hosts.length);
    return cluster;
  }

  /** As REDIS_CLUSTER_NODES. */
  get nodes(): string {
    return this.#nodes.map(({ host, port }) => `${host.address}:${port}`).join(',');
  }

  /** Kills a master. Resolves when its replica has its slots. */
  async loseMaster(index: number): Promise<void> {
    const count = this.#nodes.length / 2;
    await this.#nodes[index]!.server.stop();
    const heir = this.#nodes[count + ((index + count - 1) % count)]!;
    await eventually(async () => String(await heir.client.call('ROLE')).startsWith('master'), 30_000, 'a failover');
    await eventually(async () => (await this.#states()).every((state) => state.includes('cluster_state:ok')));
  }

  /** Starts it again: it returns empty, as the replica of its successor. */
  async bringBack(index: number): Promise<void> {
    const node = this.#nodes[index]!;
    node.server = await node.start();
    await eventually(async () => String(await node.client.call('ROLE')).startsWith('slave'), 30_000, 'a replica');
  }

  async stop(): Promise<void> {
    for (const { client, server } of this.#nodes) {
      client.disconnect();
      await server.stop();
    }
  }

  async #states(): Promise<string[]> {
    const answers = await Promise.allSettled(this.#nodes.map(({ client }) => client.call('CLUSTER', 'INFO')));
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [String(answer.value)] : []));
  }

  async #unite(count: number): Promise<void> {
    const share = Math.ceil(SLOTS / count);
    const masters = this.#nodes.slice(0, count);
    for (const [index, { client }] of masters.entries()) {
      const slots = Array.from({ length: SLOTS }, (_, slot) => slot).slice(index * share, (index + 1) * share);
      await client.call('CLUSTER', 'ADDSLOTS', ...slots);
    }
    for (const { host, port } of this.#nodes.slice(1)) {
      await masters[0]!.client.call('CLUSTER', 'MEET', host.address, port);
    }
    const known = async (text: string) => (await this.#states()).every((state) => state.includes(text));
    await eventually(() => known(`cluster_known_nodes:${this.#nodes.length}`), 20_000, 'a cluster');
    for (const [index, { client }] of this.#nodes.slice(count).entries()) {
      const master = masters[(index + 1) % count]!;
      const id = String(await master.client.call('CLUSTER', 'MYID'));
      await eventually(async () => (await client.call('CLUSTER', 'REPLICATE', id).catch(() => '')) === 'OK');
    }
    await eventually(() => known('cluster_state:ok'), 20_000, 'a cluster');
    for (const { client } of this.#nodes.slice(count)) {
      await eventually(async () => String(await client.call('ROLE')).includes('connected'), 20_000, 'a replica');
    }
  }
}

interface NodeOptions {
  readonly port: number;
  readonly directory: string;
  readonly account: Account | undefined;
  readonly password: string;
  readonly authority: string;
}

async function startNode(host: Host, options: NodeOptions): Promise<Node> {
  const { port, directory, account, password, authority } = options;
  const { path, env } = await findRedis({ cacheDirectory, account });
  const cwd = join(directory, `${host.name}-${port}`);
  await mkdir(cwd);
  if (account) await chown(cwd, account.uid, account.gid);
  const ca = await readFile(authority);
  const tls = { ca };
  const address = { host: host.address, port, password };
  const client = new Redis({ ...address, tls, maxRetriesPerRequest: 0, retryStrategy: () => 100 });
  client.on('error', () => {});
  const start = () =>
    startOwnServer({
      ...host.command(path, ['-'], asAccount(account)),
      account: undefined,
      detached: true,
      cwd,
      env,
      input: settings(host, options, cwd),
      probe: () => client.ping(),
    });
  return { host, port, client, start, server: await start() };
}

/** For `nsenter`, which enters as root and continues as another user. */
export const asAccount = (account: Account | undefined): string[] =>
  account ? [`--setuid=${account.uid}`, `--setgid=${account.gid}`] : [];

const settings = ({ address }: Host, { port, password, directory, authority }: NodeOptions, cwd: string): string =>
  [
    `bind ${address}`,
    'port 0',
    `tls-port ${port}`,
    'tls-cluster yes',
    'tls-replication yes',
    'tls-auth-clients no',
    `tls-ca-cert-file "${authority}"`,
    `tls-cert-file "${join(directory, 'redis.crt')}"`,
    `tls-key-file "${join(directory, 'redis.key')}"`,
    `requirepass ${password}`,
    `masterauth ${password}`,
    'cluster-enabled yes',
    `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
    `dir "${cwd}"`,
    'save ""',
    'appendonly yes',
    'appendfsync no',
    'maxmemory-policy noeviction',
    '',
  ].join('\n');

/** Creates an authority for the test and a certificate for the addresses of the hosts. Returns the authority's file. */
export async function makeCertificates(hosts: readonly Host[], directory: string, account: Account | undefined) {
  // Valid from yesterday on, so that a host with a slow clock accepts it too.
  const made = (name: string, ...more: string[]) =>
    run(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'],
        ...['-keyout', join(directory, `${name}.key`), '-out', join(directory, `${name}.crt`), '-subj', `/CN=${name}`],
        ...more,
      ],
      { env: { ...process.env, ...fakeTime('-1d') } },
    );
  await made('authority');
  const names = hosts.map(({ address }) => `IP:${address}`).join(',');
  const signer = ['-CA', join(directory, 'authority.crt'), '-CAkey', join(directory, 'authority.key')];
  await made('redis', ...signer, '-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=critical,CA:FALSE');
  for (const file of account ? await readdir(directory) : []) {
    if (/\.(crt|key)$/.test(file)) await chown(join(directory, file), account!.uid, account!.gid);
  }
  return join(directory, 'authority.crt');
}
