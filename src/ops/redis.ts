/** Whether Redis can be used, and what an operator has to do if not. */
import { setTimeout as sleep } from 'node:timers/promises';
import { lastFailure, type RedisConnection } from '../platform/redis/redis.ts';
import { StartupError } from '../platform/startupError.ts';

const POLL_MS = 20;

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

/** Why a connection cannot be used, in a few words without address or secret. `error` is the latest refusal. */
export function describeLoss(connection: RedisConnection, error?: unknown): string {
  const failure = lastFailure(connection);
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

/** Waits at most `timeoutMs`, or until a password is rejected. Returns whether the connection is usable. */
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
    : 'start it, or correct REDIS_URL (redis://:PASSWORD@HOST:6379, redis+sentinel://:PASSWORD@HOST:26379/NAME) or REDIS_CLUSTER_NODES and REDIS_CLUSTER_PASSWORD';
