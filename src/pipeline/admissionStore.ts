import type { RedisConnection } from '../platform/redis/redis.ts';

/** The rolling window of every counter: an allowance returns exactly 24 hours after its use (docs/limits). */
export const WINDOW_SECONDS = 86_400;
export const WINDOW_MS = WINDOW_SECONDS * 1_000;
/** A write that is not committed this long after its admission never will be (docs/reconcile). */
export const WRITE_DEADLINE_MS = 20_000;
/** How far a timestamp may be off, either way (docs/signing). */
export const CLOCK_TOLERANCE_SECONDS = 300;
/**
 * How long a nonce is remembered (docs/signing#what-is-strict). A timestamp is valid for 300 whole seconds before and after
 * the server's own second. A nonce is remembered for 60 s more.
 */
const NONCE_TTL_SECONDS = 2 * CLOCK_TOLERANCE_SECONDS + 1 + 60;
/** The reservations of an inactive agent expire with the last one of the window. */
const RESERVATIONS_TTL_SECONDS = WINDOW_SECONDS + 60;
/**
 * After this time an agent's counters are loaded again from the receipts (docs/limits#how-a-charge-is-made). This drops the
 * reservations of crashed processes.
 */
const STATE_TTL_SECONDS = 3_600;

/** How full one counter is. Times are unix milliseconds. */
export interface CounterState {
  readonly used: number;
  /** When the oldest charge was made, or null without charges. */
  readonly oldestMs: number | null;
}

/**
 * An allowance that a write holds. The id of its request names it, because a nonce can arrive in several requests. The server
 * draws that id, and a request makes one write.
 */
export interface Reservation {
  readonly agentId: string;
  readonly counter: string;
  readonly requestId: string;
}

/** A write that may end in one of the `conflict` responses that are limited per day. */
export interface Attempt {
  readonly agentId: string;
  readonly operation: string;
  readonly requestId: string;
}

/** A charge of an accepted write, from its receipt. */
export interface Charge {
  readonly counter: string;
  readonly nonce: string;
  readonly atMs: number;
}

/** What the receipts say about an agent, read under a fencing token for the server process of Redis that lacked it. */
export interface CounterLoad {
  readonly agentId: string;
  readonly runId: string;
  readonly fence: number;
  readonly nowMs: number;
  readonly charges: readonly Charge[];
}

export interface AdmissionRequest {
  readonly agentId: string;
  readonly nonce: string;
  readonly requestId: string;
  readonly nowMs: number;
  readonly counter: string | null;
  /** Spends the nonce. False for previews (docs/posts#receipts-and-previews). */
  readonly spend: boolean;
  /** Reserves an allowance. If false, only looks whether one is left. */
  readonly reserve: boolean;
  /** The fencing token of an earlier admission of this request that PostgreSQL rejected. */
  readonly outdatedFence?: number | undefined;
}

export interface Admitted {
  readonly result: 'admitted';
  readonly fence: number;
  /** False if no allowance was left. The refusal follows after all other checks. */
  readonly reserved: boolean;
  readonly counter: CounterState;
}

/** `load`: Redis lacks the agent's counters, or they must be compared with the receipts. */
export type Admission = Admitted | { readonly result: 'replay' } | { readonly result: 'load'; readonly runId: string };

/*
 * The state of an agent says which server process of Redis loaded the agent's counters, under which fencing token, and when.
 * An emptied Redis has no state. A restarted server and a promoted replica have another run_id, so the state is invalid
 * there, and counters that lack the last writes are never used.
 */
const READ_STATE = `
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local loadedRun, fence, loadedAt = unpack(redis.call('HMGET', KEYS[1], 'run', 'fence', 'loadedAt'))
`;

/*
 * Spends the nonce and reserves an allowance. KEYS: state, nonce, reservations. ARGV: request id, now, limit (-1: no
 * counter), whether to spend the nonce, whether to reserve (1 or 0), a fencing token that PostgreSQL rejected (-1: none).
 * A command that the client sends twice, or after a rejected fencing token, has the same request id and is no replay.
 * A full counter may hold reservations without a write. Those that are older than the write deadline and newer than the
 * load are decided by now, so the counters are loaded again before anyone is rejected.
 */
const ADMIT = `${READ_STATE}
local request, now, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if loadedRun ~= run or tonumber(fence) <= tonumber(ARGV[6]) then return {'load', run} end
if ARGV[4] == '1' and not redis.call('SET', KEYS[2], request, 'NX', 'EX', ${NONCE_TTL_SECONDS})
  and redis.call('GET', KEYS[2]) ~= request then return {'replay'} end
if limit < 0 then return {'admitted', fence, 0, 0, ''} end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ${WINDOW_MS})
local used = redis.call('ZCARD', KEYS[3])
local isReserved = redis.call('ZSCORE', KEYS[3], request) or used < limit
if not isReserved then
  local undecided = '(' .. (tonumber(loadedAt) - ${WRITE_DEADLINE_MS})
  if redis.call('ZCOUNT', KEYS[3], undecided, now - ${WRITE_DEADLINE_MS}) > 0 then return {'load', run} end
elseif ARGV[5] == '1' then
  used = used + redis.call('ZADD', KEYS[3], 'NX', now, request)
  redis.call('EXPIRE', KEYS[3], ${RESERVATIONS_TTL_SECONDS})
end
local oldest = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
return {'admitted', fence, isReserved and 1 or 0, used, oldest[2] or ''}
`;

/*
 * Replaces the reservations by the charges of accepted writes. KEYS: state, then the reservations of each counter. ARGV: run
 * id, fencing token, now, then for each charge the number of its key, its time and its nonce. Does nothing if the charges
 * were read for another server process, if a newer load was faster, or if this load was stored before.
 */
const STORE_LOAD = `${READ_STATE}
if run ~= ARGV[1] then return end
if loadedRun == run then
  if tonumber(fence) > tonumber(ARGV[2]) or (fence == ARGV[2] and loadedAt == ARGV[3]) then return end
end
redis.call('DEL', unpack(KEYS))
redis.call('HSET', KEYS[1], 'run', run, 'fence', ARGV[2], 'loadedAt', ARGV[3])
redis.call('EXPIRE', KEYS[1], ${STATE_TTL_SECONDS})
for i = 4, #ARGV, 3 do redis.call('ZADD', KEYS[tonumber(ARGV[i])], ARGV[i + 1], ARGV[i + 2]) end
for i = 2, #KEYS do redis.call('EXPIRE', KEYS[i], ${RESERVATIONS_TTL_SECONDS}) end
`;

/*
 * KEYS: attempts. ARGV: request id, now, limit. Returns when the next attempt is possible, or nil. Recent attempts may still
 * end without a conflict.
 */
const BEGIN_ATTEMPT = `
local now = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${WINDOW_MS})
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return nil end
if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[3]) then
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('EXPIRE', KEYS[1], ${RESERVATIONS_TTL_SECONDS})
  return nil
end
if redis.call('ZCOUNT', KEYS[1], now - ${WRITE_DEADLINE_MS}, '+inf') > 0 then return now + ${WRITE_DEADLINE_MS} end
return tonumber(redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]) + ${WINDOW_MS}
`;

type Script = (...args: (string | number)[]) => Promise<unknown>;
type Scripts = Readonly<Record<'forumAdmit' | 'forumStoreLoad' | 'forumBeginAttempt', Script>>;
type AdmitReply = [result: string, first: string, reserved: number, used: number, oldest: string];

/** The nonces and counters of a deployment's agents in Redis. All keys of an agent are in one slot of a cluster. */
export class AdmissionStore {
  readonly #redis: RedisConnection;
  readonly #scripts: Scripts;
  readonly #deploymentId: string;
  readonly #counters: readonly string[];

  constructor(redis: RedisConnection, deploymentId: string, counters: readonly string[]) {
    this.#redis = redis;
    this.#deploymentId = deploymentId;
    this.#counters = counters;
    redis.defineCommand('forumAdmit', { numberOfKeys: 3, lua: ADMIT });
    redis.defineCommand('forumStoreLoad', { numberOfKeys: 1 + counters.length, lua: STORE_LOAD });
    redis.defineCommand('forumBeginAttempt', { numberOfKeys: 1, lua: BEGIN_ATTEMPT });
    this.#scripts = redis as unknown as Scripts;
  }

  /** Spends the nonce of a read. False if another request has used it. */
  async spendNonce(agentId: string, nonce: string, requestId: string): Promise<boolean> {
    const key = this.#nonceKey(agentId, nonce);
    const isNew = await this.#redis.set(key, requestId, 'EX', NONCE_TTL_SECONDS, 'NX');
    return isNew === 'OK' || (await this.#redis.get(key)) === requestId;
  }

  /** Spends the nonce and reserves one allowance of the counter, whose limit is given, in one round trip. */
  async admit(request: AdmissionRequest, limit: number): Promise<Admission> {
    const { agentId, nonce, requestId, nowMs, counter, spend, reserve, outdatedFence = -1 } = request;
    const [result, first, reserved, used, oldest] = (await this.#scripts.forumAdmit(
      this.#key(agentId, 'state'),
      this.#nonceKey(agentId, nonce),
      this.#reservationsKey(agentId, counter ?? 'none'),
      ...[requestId, nowMs, counter ? limit : -1, spend ? 1 : 0, reserve ? 1 : 0, outdatedFence],
    )) as AdmitReply;
    if (result === 'load') return { result, runId: first };
    if (result === 'replay') return { result };
    const state = { used, oldestMs: oldest === '' ? null : Number(oldest) };
    return { result: 'admitted', fence: Number(first), reserved: reserved === 1, counter: state };
  }

  /** Removes a reservation whose write stored nothing. */
  async refund({ agentId, counter, requestId }: Reservation): Promise<void> {
    await this.#redis.zrem(this.#reservationsKey(agentId, counter), requestId);
  }

  /** Replaces the reservations of an agent by the charges of its accepted writes. */
  async storeLoad({ agentId, runId, fence, nowMs, charges }: CounterLoad): Promise<void> {
    const keys = this.#counters.map((name) => this.#reservationsKey(agentId, name));
    // Lua numbers keys from 1, and the first one is the state.
    const numbered = charges.map(({ counter, atMs, nonce }) => [this.#counters.indexOf(counter) + 2, atMs, nonce]);
    const known = numbered.filter(([key]) => key !== 1).flat();
    await this.#scripts.forumStoreLoad(this.#key(agentId, 'state'), ...keys, runId, fence, nowMs, ...known);
  }

  /**
   * Counts an attempt that may end in a `conflict`. Returns null if there are at most `limit` attempts in the window, else the time
   * (unix milliseconds) at which the next one is possible. Losing Redis resets the count.
   */
  async beginAttempt(attempt: Attempt, limit: number, nowMs: number): Promise<number | null> {
    const { requestId } = attempt;
    return (await this.#scripts.forumBeginAttempt(this.#attemptsKey(attempt), requestId, nowMs, limit)) as
      | number
      | null;
  }

  /** Removes an attempt that did not end in a conflict. */
  async endAttempt(attempt: Attempt): Promise<void> {
    await this.#redis.zrem(this.#attemptsKey(attempt), attempt.requestId);
  }

  #key(agentId: string, ...rest: string[]): string {
    return ['forum', this.#deploymentId, `{${agentId}}`, ...rest].join(':');
  }

  #nonceKey = (agentId: string, nonce: string) => this.#key(agentId, 'nonce', nonce);
  #reservationsKey = (agentId: string, counter: string) => this.#key(agentId, 'reservations', counter);
  #attemptsKey = ({ agentId, operation }: Attempt) => this.#key(agentId, 'conflicts', operation);
}
