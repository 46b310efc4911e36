import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, type ClusterOptions, type Command, Redis, type RedisOptions } from 'ioredis';
import { StartupError } from '../startupError.ts';

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
  const tls = redisTlsCa === undefined ? undefined : { tls: trusting(redisTlsCa) };
  const redisOptions = { ...PURPOSES[purpose], ...tls, ...(password === undefined ? {} : { password }) };
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);
  const single = { ...PURPOSES[purpose], retryStrategy, reconnectOnError: isDemoted };
  const connection = nodes
    ? new Cluster([...nodes], { ...(tls ? BY_NAME : {}), redisOptions, enableOfflineQueue: purpose !== 'admission' })
    : new Redis(redisUrl!, { ...single, ...(redisUrl!.startsWith('rediss:') ? tls : {}) });
  if (purpose === 'admission') rejectLateCommands(connection);
  recordFailures(connection, () => new Redis({ ...redisOptions, ...nodes?.[0], lazyConnect: true }));
  return connection;
}

/** A certificate is for the name of a node in its cluster, not for the address behind the name. */
const BY_NAME: ClusterOptions = { dnsLookup: (name, callback) => callback(null, name) };

function trusting(redisTlsCa: string): NonNullable<RedisOptions['tls']> {
  if (redisTlsCa === 'system') return {};
  try {
    return { ca: readFileSync(redisTlsCa) };
  } catch (error) {
    throw new StartupError(
      `REDIS_TLS_CA names a file that is not readable (${(error as NodeJS.ErrnoException).code}). Correct the path or the permissions.`,
    );
  }
}

/** How long a request waits for Redis (docs/operations#time-limits). */
const COMMAND_TIMEOUT_MS = 500;
const POLL_MS = 20;

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

/** The last failure of each connection since it was last usable. */
const failures = new WeakMap<RedisConnection, Error>();

/** Records failures for `describeLoss`. A cluster hides the reason, so `openNode` opens a connection to a node. */
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

/** A script, as admissions are. It changes nothing, because there is no such key. */
const ASK_FOR_WRITES = `redis.call('INFO', 'server') return redis.call('SETRANGE', KEYS[1], 0, '')`;

/** Resolves if the server accepts writes: a full one and a replica do not. Of a cluster only one node is asked. */
export const askForWrites = (connection: RedisConnection): Promise<unknown> =>
  connection.isCluster ? connection.ping() : connection.eval(ASK_FOR_WRITES, 1, 'forum:ready');

/** The policy by which a full Redis evicts keys, in a cluster that of one node. Undefined if it evicts none. */
export async function evictionPolicy(connection: RedisConnection): Promise<string | undefined> {
  const [, policy] = /^maxmemory_policy:(\S+)/m.exec(await connection.info('memory')) ?? [];
  return policy === 'noeviction' ? undefined : policy;
}

export const FORGETS_AT_RESTART =
  'Redis has no append-only file: set its appendonly to yes. After a restart without one, a rejected request can be sent again for up to 300 s';

/** True if Redis, in a cluster one node, loses its writes at a restart. */
export async function forgetsAtRestart(connection: RedisConnection): Promise<boolean> {
  return /^aof_enabled:0/m.test(await connection.info('persistence'));
}

/** The user may not call a command, or the command was renamed. */
const FORBIDDEN = /NOPERM|can't run this command|unknown (?:redis )?command/i;

/**
 * Describes in a few words, without an address or a secret, why a connection cannot be used. `error` is the latest
 * refusal.
 */
export function describeLoss(connection: RedisConnection, error?: unknown): string {
  const failure = rootOf(failures.get(connection));
  const text = `${failure?.code ?? ''} ${failure?.message ?? ''} ${error instanceof Error ? error.message : ''}`;
  if (/\bOOM /.test(text)) return 'is full';
  if (/\bREADONLY /.test(text)) return 'is a replica';
  if (/\bMISCONF /.test(text)) return 'cannot write to its disk';
  if (/NOAUTH/.test(text)) return 'requires a password';
  if (/WRONGPASS|invalid password|without any password configured/.test(text)) return 'rejects the password';
  if (FORBIDDEN.test(text)) return 'forbids commands that the service needs';
  if (/CERT_NOT_YET_VALID|CERT_HAS_EXPIRED/.test(text))
    return 'has a certificate that is expired or not yet valid, by the clock of this host';
  if (/CERT|SSL|certificate/.test(text)) return 'has a certificate that is not trusted: set REDIS_TLS_CA';
  if (/ECONNREFUSED|ENOENT/.test(text)) return 'connection refused';
  if (/ENOTFOUND|EAI_/.test(text)) return 'host name not found';
  return 'no answer';
}

/** A cluster reports that all its nodes failed, and has the failure of the last one. */
function rootOf(error: (Error & { lastNodeError?: Error; code?: string }) | undefined) {
  return (error?.lastNodeError ?? error) as (Error & { code?: string }) | undefined;
}

/**
 * Waits at most `timeoutMs` until the connection is usable, and returns whether it is. Returns at once if a password is
 * wrong.
 */
export async function isRedisReady(connection: RedisConnection, timeoutMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  while (connection.status !== 'ready') {
    if (performance.now() > deadlineMs || describeLoss(connection).includes('password')) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** Waits for the connection. Returns why it cannot be used, or undefined if it can. */
export async function findRedisFault(connection: RedisConnection, timeoutMs: number): Promise<string | undefined> {
  if (!(await isRedisReady(connection, timeoutMs))) return describeLoss(connection);
  return askForWrites(connection).then(
    () => undefined,
    // Other refusals may end by themselves.
    (error: Error) => (FORBIDDEN.test(error.message) ? describeLoss(connection, error) : undefined),
  );
}

export async function requireRedis(connection: RedisConnection, timeoutMs: number): Promise<void> {
  const fault = await findRedisFault(connection, timeoutMs);
  if (fault !== undefined) throw new StartupError(`Redis is not usable (${fault}): ${adviceOn(fault)}.`);
}

export const adviceOn = (fault: string): string =>
  fault.startsWith('forbids')
    ? 'grant its user at least ~{forum-* ~forum:* +@all -@admin -@dangerous +info, and rename no commands'
    : 'start it, or correct REDIS_URL (redis://:PASSWORD@HOST:6379) or REDIS_CLUSTER_NODES and REDIS_CLUSTER_PASSWORD';
