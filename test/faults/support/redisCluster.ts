import { randomBytes } from 'node:crypto';
import { chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { chooseAccount, enterableDirectory } from '../../../src/tools/dev/account.ts';
import { chooseFreePort, isPortFree } from '../../../src/tools/dev/ports.ts';
import { findRedis } from '../../../src/tools/dev/redisBinary.ts';
import { cacheDirectory, makeTestDirectory } from '../../support/directories.ts';
import { eventually } from '../../support/waits.ts';
import { startOwnServer } from './ownServer.ts';

const HOST = '127.0.0.1';
const SLOTS = 16_384;
/** The offset of the port on which nodes talk to each other. */
const BUS = 10_000;

/** Nodes that share the slots evenly, with one password. */
export interface RedisCluster {
  /** As REDIS_CLUSTER_NODES. */
  readonly nodes: string;
  readonly password: string;
  /** A separate connection to each node. They end with the cluster. */
  readonly clients: readonly Redis[];
  stop(): Promise<void>;
}

/** Starts a cluster of masters on loopback with the Redis of the test run. */
export async function startRedisCluster(count: number): Promise<RedisCluster> {
  const directory = await makeTestDirectory();
  const account = await chooseAccount(directory);
  const cache = await enterableDirectory(cacheDirectory, account);
  const { path: file, env } = await findRedis({ cacheDirectory: cache, account });
  const password = randomBytes(16).toString('hex');
  const undo: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  const startNode = async (index: number): Promise<Redis> => {
    const cwd = join(directory, String(index));
    await mkdir(cwd);
    if (account) await chown(cwd, account.uid, account.gid);
    const port = await chooseNodePort();
    const client = new Redis({ host: HOST, port, password, maxRetriesPerRequest: 0, retryStrategy: () => 50 });
    client.on('error', () => {});
    undo.push(async () => client.disconnect());
    const probe = () => client.ping();
    const server = await startOwnServer({
      file,
      args: ['-'],
      account,
      cwd,
      env,
      input: settings(port, cwd, password),
      probe,
    });
    undo.push(() => server.stop());
    return client;
  };
  try {
    const clients: Redis[] = [];
    for (let index = 0; index < count; index++) clients.push(await startNode(index));
    await unite(clients);
    return { nodes: clients.map(addressOf).join(','), password, clients, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const settings = (port: number, directory: string, password: string): string =>
  [
    `bind ${HOST}`,
    `port ${port}`,
    `requirepass ${password}`,
    `masterauth ${password}`,
    'cluster-enabled yes',
    'cluster-node-timeout 5000',
    `dir "${directory}"`,
    'save ""',
    'appendonly no',
    'maxmemory-policy noeviction',
    '',
  ].join('\n');

async function chooseNodePort(): Promise<number> {
  for (;;) {
    const port = await chooseFreePort([]);
    if (await isPortFree(port + BUS)) return port;
  }
}

const addressOf = ({ options }: Redis): string => `${HOST}:${options.port}`;

/** Gives each node its share of the slots, introduces them to each other, and waits until all agree. */
async function unite(clients: readonly Redis[]): Promise<void> {
  const share = Math.ceil(SLOTS / clients.length);
  for (const [index, client] of clients.entries()) {
    const slots = Array.from({ length: SLOTS }, (_, slot) => slot).slice(index * share, (index + 1) * share);
    await client.call('CLUSTER', 'ADDSLOTS', ...slots);
    for (const other of clients) await client.call('CLUSTER', 'MEET', HOST, other.options.port!);
  }
  await eventually(async () => {
    const states = await Promise.all(clients.map((client) => client.call('CLUSTER', 'INFO')));
    return states.every((state) => {
      const text = String(state);
      return text.includes('cluster_state:ok') && text.includes(`cluster_known_nodes:${clients.length}`);
    });
  });
}
