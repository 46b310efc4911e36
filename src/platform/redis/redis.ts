import { readFileSync } from 'node:fs';
import { Cluster, type ClusterOptions, type Command, Redis, type RedisOptions } from 'ioredis';
import { StartupError } from '../startupError.ts';

export type RedisConnection = Redis | Cluster;

/** Where Redis is: one server, or the nodes of a cluster (docs/operator#settings). */
export interface RedisAddress {
  readonly redisUrl: string | undefined;
  readonly redisClusterNodes: readonly { readonly host: string; readonly port: number }[] | undefined;
  /** Of every node. */
  readonly redisClusterPassword?: string | undefined;
  /** A file of certificates that vouch for Redis, or `system`. With it a cluster is spoken to by TLS. */
  readonly redisTlsCa?: string | undefined;
}

/** It was made a replica while a connection was open: its address may lead to another one by now. */
const isDemoted = ({ message }: Error): boolean => message.startsWith('READONLY');

/**
 * How a connection behaves when Redis is gone. One on which nothing is answered for `socketTimeout` is replaced: where a host
 * went without a word, the system would try to reach it for a quarter of an hour.
 */
const PURPOSES = {
  /** Requests wait for it: fail at once rather than queue, so that a lost Redis is a 503 at once. */
  admission: { enableOfflineQueue: false, maxRetriesPerRequest: 1, socketTimeout: 6_000, enableAutoPipelining: true },
  /** BullMQ blocks on copies of it for up to 10 s, and waits for ever. */
  queue: { maxRetriesPerRequest: null, socketTimeout: 15_000 },
};

/** Opens a connection for one purpose; it reconnects for ever, at most every second. */
export function connectRedis(address: RedisAddress, purpose: keyof typeof PURPOSES): RedisConnection {
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);
  const { redisClusterPassword: password, redisClusterNodes: nodes, redisTlsCa, redisUrl } = address;
  const tls = redisTlsCa === undefined ? undefined : { tls: trusting(redisTlsCa) };
  const redisOptions = { ...PURPOSES[purpose], ...tls, ...(password === undefined ? {} : { password }) };
  const single = { ...PURPOSES[purpose], retryStrategy, reconnectOnError: isDemoted };
  const connection = nodes
    ? new Cluster([...nodes], {
        ...(tls ? BY_NAME : {}),
        redisOptions,
        enableOfflineQueue: purpose !== 'admission',
      })
    : new Redis(redisUrl!, { ...single, ...(redisUrl!.startsWith('rediss:') ? tls : {}) });
  if (purpose === 'admission') rejectLateCommands(connection);
  // Every failed command already rejects its caller; without a listener a lost connection would end the process.
  keepFailures(connection, () => new Redis({ ...redisOptions, ...nodes?.[0], lazyConnect: true }));
  return connection;
}

/** A certificate is of the name by which a node is known to its cluster, and not of the address behind it. */
const BY_NAME: ClusterOptions = { dnsLookup: (name, callback) => callback(null, name) };

/** Throws `StartupError` where the file cannot be read. */
function trusting(redisTlsCa: string): NonNullable<RedisOptions['tls']> {
  if (redisTlsCa === 'system') return {};
  try {
    return { ca: readFileSync(redisTlsCa) };
  } catch (error) {
    throw new StartupError(`REDIS_TLS_CA names a file that cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** How long a request waits for Redis (docs/operations#time-limits). */
const COMMAND_TIMEOUT_MS = 500;

type Send = (command: Command, ...rest: unknown[]) => unknown;

/**
 * Rejects commands that Redis did not answer in time. The client's own option, `commandTimeout`, also rejects commands whose
 * replies wait in the socket while the process is busy. Here sockets are read once more before a command is rejected.
 */
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

/** The last failure of each connection since it was usable last. */
const failures = new WeakMap<RedisConnection, Error>();

/** A cluster says no more than that a connection was closed: `openNode` makes one to a node, which tells why. */
function keepFailures(connection: RedisConnection, openNode: () => Redis): void {
  const keep = (error: Error) => failures.set(connection, error);
  connection.on('error', (error) => {
    if (rootOf(error)?.message !== 'Connection is closed.') keep(error);
    else askOnce(openNode(), keep);
  });
  connection.on('ready', () => failures.delete(connection));
}

function askOnce(node: Redis, tell: (error: Error) => void): void {
  node.on('error', tell);
  const end = () => node.disconnect();
  node.connect().then(end, end);
}

/** As admissions are: a script, which asks who answers. Changes nothing, because there is no such key. */
const ASK_FOR_WRITES = `redis.call('INFO', 'server') return redis.call('SETRANGE', KEYS[1], 0, '')`;

/**
 * Resolves where it takes writes: who is full, a replica, without room on its disk, or forbids it to this user answers, and
 * refuses them. Of a cluster only whether a node answers.
 */
export const askForWrites = (connection: RedisConnection): Promise<unknown> =>
  connection.isCluster ? connection.ping() : connection.eval(ASK_FOR_WRITES, 1, 'forum:ready');

/** By what a full Redis chooses the keys that it throws away, of a cluster one node; undefined where it throws none away. */
export async function evictionPolicy(connection: RedisConnection): Promise<string | undefined> {
  const [, policy] = /^maxmemory_policy:(\S+)/m.exec(await connection.info('memory')) ?? [];
  return policy === 'noeviction' ? undefined : policy;
}

/** What an operator is told of a Redis that keeps no log of its writes on its disk. */
export const FORGETS_AT_RESTART =
  'Redis keeps no append-only file: set its appendonly to yes. After a restart without one, a refused request can be sent again for up to 300 s';

/** True for a Redis, of a cluster one node, that forgets at a restart what was written to it. */
export async function forgetsAtRestart(connection: RedisConnection): Promise<boolean> {
  return /^aof_enabled:0/m.test(await connection.info('persistence'));
}

/** To its user, in a script too, or to all, whose command has another name. */
const FORBIDDEN = /NOPERM|can't run this command|unknown (?:redis )?command/i;

/** Why a connection cannot be used now, in a few words without an address or a secret; `error`: what it refused just now. */
export function describeLoss(connection: RedisConnection, error?: unknown): string {
  const failure = rootOf(failures.get(connection));
  const text = `${failure?.code ?? ''} ${failure?.message ?? ''} ${error instanceof Error ? error.message : ''}`;
  if (/\bOOM /.test(text)) return 'is full';
  if (/\bREADONLY /.test(text)) return 'is a replica';
  if (/\bMISCONF /.test(text)) return 'cannot write to its disk';
  if (/NOAUTH/.test(text)) return 'asks for a password';
  if (/WRONGPASS|invalid password|without any password configured/.test(text)) return 'refuses the password';
  if (FORBIDDEN.test(text)) return 'forbids what the service needs';
  if (/CERT_NOT_YET_VALID|CERT_HAS_EXPIRED/.test(text))
    return "has a certificate that, by this host's clock, is not valid now";
  if (/CERT|SSL|certificate/.test(text)) return 'cannot be trusted: see REDIS_TLS_CA';
  if (/ECONNREFUSED|ENOENT/.test(text)) return 'connection refused';
  if (/ENOTFOUND|EAI_/.test(text)) return 'no host of that name';
  return 'no answer';
}

/** A cluster says that all its nodes failed, and keeps the failure of the last one. */
function rootOf(error: (Error & { lastNodeError?: Error; code?: string }) | undefined) {
  return (error?.lastNodeError ?? error) as (Error & { code?: string }) | undefined;
}

/** Waits until the connection is usable, at most `timeoutMs`, and not for a password; true when it is. */
export async function isRedisReady(connection: RedisConnection, timeoutMs: number): Promise<boolean> {
  if (connection.status === 'ready') return true;
  return new Promise((resolve) => {
    const end = (isReady: boolean) => {
      clearTimeout(timer);
      connection.off('ready', ready);
      connection.off('error', giveUp);
      resolve(isReady);
    };
    const ready = () => end(true);
    const giveUp = () => {
      if (describeLoss(connection).includes('password')) end(false);
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    connection.on('ready', ready);
    connection.on('error', giveUp);
  });
}

/** As `isRedisReady`; throws `StartupError` when it is not, and where it will not be. */
export async function requireRedis(connection: RedisConnection, timeoutMs: number): Promise<void> {
  const isReady = await isRedisReady(connection, timeoutMs);
  const lost = isReady ? await whatIsForbidden(connection) : describeLoss(connection);
  if (lost !== undefined) throw new StartupError(`Redis cannot be used (${lost}): ${adviceOn(lost)}.`);
}

/** In words, where a connection that is ready may not do what the service needs: somebody has to allow it first. */
export async function whatIsForbidden(connection: RedisConnection): Promise<string | undefined> {
  return askForWrites(connection).then(
    () => undefined,
    (error: Error) => (FORBIDDEN.test(error.message) ? describeLoss(connection, error) : undefined),
  );
}

/** What to do about a Redis that cannot be used, and is lost in these words of `describeLoss`. */
export const adviceOn = (lost: string): string =>
  lost.startsWith('forbids')
    ? 'its user needs at least ~{forum-* ~forum:* +@all -@admin -@dangerous +info, and no command another name'
    : 'start it, or correct REDIS_URL (redis://:PASSWORD@HOST:6379) or REDIS_CLUSTER_NODES and REDIS_CLUSTER_PASSWORD';
