import { Cluster, type ClusterOptions, type Command, Redis, type RedisOptions } from 'ioredis';
import { hostUrls } from '../hostUrls.ts';
import { readNamedFile } from '../namedFile.ts';

export type RedisConnection = Redis | Cluster;

/** The address of Redis: one server, or the nodes of a cluster (docs/operator#settings). */
export interface RedisAddress {
  readonly redisUrl: string | undefined;
  readonly redisClusterNodes: readonly { readonly host: string; readonly port: number }[] | undefined;
  readonly redisClusterPassword?: string | undefined;
  /** A file of CA certificates for Redis, or `system`. A cluster then uses TLS. */
  readonly redisTlsCa?: string | undefined;
}

/** The server became a replica while a connection was open. Its address may lead to another server by now. */
const isDemoted = ({ message }: Error): boolean => message.startsWith('READONLY');

/** Without an answer for `socketTimeout` it is replaced: a vanished host would hold it for a quarter of an hour. */
const PURPOSES = {
  /** Fails at once instead of queueing, so that requests without Redis are a 503 at once. */
  admission: { enableOfflineQueue: false, maxRetriesPerRequest: 1, socketTimeout: 6_000, enableAutoPipelining: true },
  /** BullMQ blocks on copies of it for up to 10 s, and waits for ever. */
  queue: { maxRetriesPerRequest: null, socketTimeout: 15_000 },
};

/** Opens a connection for one purpose. It reconnects for ever, at least once a second. */
export function connectRedis(address: RedisAddress, purpose: keyof typeof PURPOSES): RedisConnection {
  const { redisClusterPassword: password, redisClusterNodes: nodes, redisTlsCa, redisUrl } = address;
  const tls =
    redisTlsCa === undefined
      ? undefined
      : { tls: redisTlsCa === 'system' ? {} : { ca: readNamedFile('REDIS_TLS_CA', redisTlsCa) } };
  const redisOptions = { ...PURPOSES[purpose], ...tls, ...(password === undefined ? {} : { password }) };
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);
  const single = { ...PURPOSES[purpose], retryStrategy, reconnectOnError: isDemoted };
  const connection = nodes
    ? new Cluster([...nodes], { ...(tls ? BY_NAME : {}), redisOptions, enableOfflineQueue: purpose !== 'admission' })
    : /^rediss?\+sentinel:/.test(redisUrl!)
      ? new Redis({ ...single, ...behindSentinels(redisUrl!, tls?.tls) })
      : new Redis(redisUrl!, { ...single, ...(redisUrl!.startsWith('rediss:') ? tls : {}) });
  if (purpose === 'admission') rejectLateCommands(connection);
  recordFailures(connection, () => new Redis({ ...redisOptions, ...nodes?.[0], lazyConnect: true }));
  return connection;
}

/** A master that has vanished is asked no longer: its successor may be known by then. */
const SENTINEL_CONNECT_TIMEOUT_MS = 2_000;

/** `redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME/DATABASE`. Servers and sentinels have one password. */
function behindSentinels(redisUrl: string, tls: NonNullable<RedisOptions['tls']> = {}) {
  const urls = hostUrls(redisUrl).map((url) => new URL(url));
  const { protocol, username, password, pathname } = urls[0]!;
  const [, name = '', database = '0'] = pathname.split('/');
  const secret = decodeURIComponent(password);
  return {
    sentinels: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 26_379),
    })),
    name: decodeURIComponent(name),
    db: Number(database),
    connectTimeout: SENTINEL_CONNECT_TIMEOUT_MS,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: secret, sentinelPassword: secret }),
    ...(protocol.startsWith('rediss') ? { tls, sentinelTLS: tls, enableTLSForSentinelMode: true } : {}),
  };
}

/** A certificate is for the name of a node in its cluster, not for the address behind the name. */
const BY_NAME: ClusterOptions = { dnsLookup: (name, callback) => callback(null, name) };

/** How long a request waits for Redis (docs/operations#time-limits). */
const COMMAND_TIMEOUT_MS = 500;

type Send = (command: Command, ...rest: unknown[]) => unknown;

/** Reads sockets once more before it rejects: with `commandTimeout` a busy process rejects replies that are there. */
function rejectLateCommands(connection: RedisConnection): void {
  const send = connection.sendCommand.bind(connection) as Send;
  connection.sendCommand = (command: Command, ...rest: unknown[]) => {
    const reject = () => command.reject(new Error('Redis did not answer in time'));
    const timer = setTimeout(() => setImmediate(reject), COMMAND_TIMEOUT_MS);
    const settle = () => clearTimeout(timer);
    command.promise.then(settle, settle);
    return send(command, ...rest);
  };
}

const failures = new WeakMap<RedisConnection, Error>();

/** The last failure of a connection since it was last usable. */
export const lastFailure = (connection: RedisConnection) => rootOf(failures.get(connection));

/** Records failures for `lastFailure`. A cluster hides the reason, so `openNode` opens a connection to a node. */
function recordFailures(connection: RedisConnection, openNode: () => Redis): void {
  const record = (error: Error) => failures.set(connection, error);
  connection.on('error', (error) => {
    if (rootOf(error)?.message !== 'Connection is closed.') return record(error);
    const node = openNode().on('error', record);
    const end = () => node.disconnect();
    return node.connect().then(end, end);
  });
  connection.on('ready', () => failures.delete(connection));
}

/** A cluster reports that all its nodes failed, and has the failure of the last one. */
function rootOf(error: (Error & { lastNodeError?: Error; code?: string }) | undefined) {
  return (error?.lastNodeError ?? error) as (Error & { code?: string }) | undefined;
}
