import { COUNTER_NAMES, type Config, type CounterName } from '../config.ts';
import { Refusal, unavailable } from '../operation/errors.ts';
import type { Allowance, RateLimit } from '../operation/operation.ts';
import { toTimestamp } from '../platform/codec/text.ts';
import { type Db, OWN_CONNECTION, sql } from '../platform/postgres/postgres.ts';
import { Semaphore } from '../platform/postgres/semaphore.ts';
import type { RedisConnection } from '../platform/redis/redis.ts';

/** The rolling window of every counter: an allowance returns exactly 24 hours after its use (docs/limits). */
export const WINDOW_SECONDS = 86_400;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
/** A write that is not committed this long after its admission never will be (docs/reconcile). */
export const WRITE_DEADLINE_MS = 20_000;
/** How far a timestamp may be off, either way (docs/signing). */
export const CLOCK_TOLERANCE_SECONDS = 300;
/** How long a nonce is remembered (docs/signing#what-is-strict): 60 s longer than its timestamp is valid. */
const NONCE_TTL_SECONDS = 2 * CLOCK_TOLERANCE_SECONDS + 1 + 60;
/** The reservations of an inactive agent expire with the last one of the window. */
const RESERVATIONS_TTL_SECONDS = WINDOW_SECONDS + 60;
/** An agent's counters are then loaded again from the receipts, without the reservations of crashed processes. */
const STATE_TTL_SECONDS = 3_600;
const HOUR_MS = 3_600_000;

/** A request that finds its counters missing again after this many loads is rejected. */
const MAX_LOADS = 20;
/** After the loss of Redis every active agent is loaded again. This bound leaves most connections to writes. */
const CONCURRENT_LOADS = 4;
const MAX_WAITING_LOADS = 1_024;
const LOAD_WAIT_MS = 3_000;

export interface CounterState {
  readonly used: number;
  readonly oldestMs: number | null;
}

export type Attempt = Readonly<Record<'agentId' | 'operation' | 'requestId', string>>;

export interface Charge {
  readonly counter: string;
  readonly nonce: string;
  readonly atMs: number;
}

/** The settings of allowances, which can change while the process runs. */
type LimitSettings = Pick<Config, 'limits' | 'youngAgentHours' | 'youngAgentPercent'>;

/** The age of an agent decides on its allowances. */
interface Registered {
  readonly registeredAtMs: number;
}

type Signer = Registered & { readonly caller: { readonly agentId: string } };

interface AdmissionRequest {
  readonly agentId: string;
  readonly nonce: string;
  readonly requestId: string;
  readonly nowMs: number;
  readonly counter: CounterName | null;
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

/** An agent's state names the server process (run_id) of its counters: it is invalid after a restart or failover. */
const READ_STATE = `
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local loadedRun, fence, loadedAt = unpack(redis.call('HMGET', KEYS[1], 'run', 'fence', 'loadedAt'))
`;

/**
 * Spends the nonce and reserves an allowance. KEYS: state, nonce, reservations. ARGV: request id, now, limit (-1: no
 * counter), whether to spend, whether to reserve, rejected fencing token (-1: none). A command that is sent twice has
 * the same request id. A full counter loads again if reservations are older than the write deadline.
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

/**
 * Replaces reservations by charges. KEYS: state, reservations of each counter. ARGV: run id, fencing token, now, then
 * key number, time and nonce of each charge. Does nothing for another server process, or after a newer load.
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

/** KEYS: attempts. ARGV: request id, now, limit. Returns when the next attempt is possible, or nil. */
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

/** Waits for writes under way (FOR SHARE) and rejects older tokens: the receipts then have all of their charges. */
const RAISE_FENCE = sql(
  'admission.raiseFence',
  'UPDATE agent_states SET fence = fence + 1 WHERE agent_id = $1 RETURNING fence',
);
const READ_CHARGES = sql(
  'admission.readCharges',
  `SELECT nonce, counter, (extract(epoch FROM created_at) * 1000)::float8 AS "atMs"
   FROM write_receipts WHERE agent_id = $1 AND counter IS NOT NULL AND created_at > $2`,
);
const COUNT_CHARGES = sql(
  'admission.countCharges',
  `SELECT counter, count(*)::float8 AS used, (extract(epoch FROM min(created_at)) * 1000)::float8 AS "oldestMs"
   FROM write_receipts WHERE agent_id = $1 AND counter IS NOT NULL AND created_at > $2 GROUP BY counter`,
);

/** Spends nonces and reserves allowances in Redis, loaded from the receipts (docs/limits#how-a-charge-is-made). */
export class AdmissionControl {
  /** A reload replaces them. */
  settings: LimitSettings;
  readonly #redis: RedisConnection & Scripts;
  readonly #deploymentId: string;
  readonly #db: Db;
  readonly #loads = new Map<string, Promise<void>>();
  readonly #loadPermits = new Semaphore(CONCURRENT_LOADS, MAX_WAITING_LOADS);

  constructor(redis: RedisConnection, deploymentId: string, db: Db, settings: LimitSettings) {
    redis.defineCommand('forumAdmit', { numberOfKeys: 3, lua: ADMIT });
    redis.defineCommand('forumStoreLoad', { numberOfKeys: 1 + COUNTER_NAMES.length, lua: STORE_LOAD });
    redis.defineCommand('forumBeginAttempt', { numberOfKeys: 1, lua: BEGIN_ATTEMPT });
    this.#redis = redis as RedisConnection & Scripts;
    this.#deploymentId = deploymentId;
    this.#db = db;
    this.settings = settings;
  }

  /** Spends the nonce of a read. Returns false if another request has used it. Throws `unavailable` without Redis. */
  async spendNonce(agentId: string, nonce: string, requestId: string): Promise<boolean> {
    const key = this.#key(agentId, 'nonce', nonce);
    const isNew = await orUnavailable(this.#redis.set(key, requestId, 'EX', NONCE_TTL_SECONDS, 'NX'));
    return isNew === 'OK' || (await orUnavailable(this.#redis.get(key))) === requestId;
  }

  /** Spends the nonce of a write and reserves an allowance. Null for a replay. Throws `unavailable` without Redis. */
  async admit(request: AdmissionRequest & Registered): Promise<Admitted | null> {
    const { agentId, nowMs, counter } = request;
    const limit = counter ? this.limitOf(counter, request, nowMs).limit : 0;
    for (let loads = 0; loads <= MAX_LOADS; loads++) {
      const admission = await orUnavailable(this.tryAdmit(request, limit));
      if (admission.result === 'replay') return null;
      if (admission.result === 'admitted') return admission;
      const begin = () => this.#load(agentId, admission.runId, nowMs).finally(() => this.#loads.delete(agentId));
      const load = this.#loads.get(agentId) ?? begin();
      this.#loads.set(agentId, load);
      await load;
    }
    throw unavailable('the counters are being loaded');
  }

  /** One round trip. Returns `load` if the counters are missing or must be compared with the receipts. */
  async tryAdmit(
    request: AdmissionRequest,
    limit: number,
  ): Promise<Admitted | { readonly result: 'replay' } | { readonly result: 'load'; readonly runId: string }> {
    const { agentId, nonce, requestId, nowMs, counter, spend, reserve, outdatedFence = -1 } = request;
    const [result, first, reserved, used, oldest] = (await this.#redis.forumAdmit(
      this.#key(agentId, 'state'),
      this.#key(agentId, 'nonce', nonce),
      this.#key(agentId, 'reservations', counter ?? 'none'),
      ...[requestId, nowMs, counter ? limit : -1, spend ? 1 : 0, reserve ? 1 : 0, outdatedFence],
    )) as AdmitReply;
    if (result === 'load') return { result, runId: first };
    if (result === 'replay') return { result };
    const state = { used, oldestMs: oldest === '' ? null : Number(oldest) };
    return { result: 'admitted', fence: Number(first), reserved: reserved === 1, counter: state };
  }

  /** Refunds a write that stored nothing, by its request id, because a nonce can arrive in several requests. */
  async refund(agentId: string, counter: string, requestId: string): Promise<void> {
    await this.#redis.zrem(this.#key(agentId, 'reservations', counter), requestId).catch(() => {});
  }

  /** Throws `rate_limited` after the conflicts of the day, and `unavailable` without Redis. */
  async beginAttempt({ agentId, operation, requestId }: Attempt, limit: number, nowMs: number): Promise<void> {
    const key = this.#key(agentId, 'conflicts', operation);
    const freeMs = await orUnavailable(this.#redis.forumBeginAttempt(key, requestId, nowMs, limit));
    if (freeMs === null) return;
    const retryAfterSeconds = (Number(freeMs) - nowMs) / 1_000;
    throw new Refusal('rate_limited', { retryAfterSeconds, reason: 'too many conflicts' });
  }

  /** Removes an attempt that did not end in a conflict. If Redis does not respond, it counts as one. */
  async endAttempt({ agentId, operation, requestId }: Attempt): Promise<void> {
    await this.#redis.zrem(this.#key(agentId, 'conflicts', operation), requestId).catch(() => {});
  }

  /** Reservations may fill a counter too. They are decided at the write deadline, so nobody waits longer for them. */
  async exhausted(signer: Signer, name: CounterName, nowMs: number): Promise<RateLimit> {
    const state = stateOf(name, await this.#charged(signer.caller.agentId, nowMs));
    const figures = this.rateLimit(name, state, signer, nowMs);
    if (figures.remaining === 0) return figures;
    const decidedMs = nowMs + WRITE_DEADLINE_MS;
    const resetMs = state.oldestMs === null ? decidedMs : Math.min(state.oldestMs + WINDOW_MS, decidedMs);
    return { ...figures, remaining: 0, resetAt: toTimestamp(resetMs) };
  }

  /** When an exhausted allowance permits a write again: a charge returns, or the agent is no longer young. */
  retryAtMs({ name, limit, resetAt }: RateLimit, agent: Registered, nowMs: number): number {
    // With a limit of 0 no allowance ever returns.
    const returnMs = limit === 0 ? nowMs + WINDOW_MS : Date.parse(resetAt);
    const { youngUntilMs } = this.limitOf(name, agent, nowMs);
    const isLargerThen = youngUntilMs !== undefined && this.settings.limits[name] > limit;
    return isLargerThen ? Math.min(returnMs, youngUntilMs) : returnMs;
  }

  /** All allowances of an agent now, by its receipts; of an anonymous caller the limits, with nothing used. */
  async allowances(signer: Signer | null, nowMs: number): Promise<Record<CounterName, Allowance>> {
    const states = signer === null ? [] : await this.#charged(signer.caller.agentId, nowMs);
    const allowances = COUNTER_NAMES.map((name) => [
      name,
      allowance(this.limitOf(name, signer, nowMs).limit, stateOf(name, states), nowMs),
    ]);
    return Object.fromEntries(allowances) as Record<CounterName, Allowance>;
  }

  rateLimit(name: CounterName, state: CounterState, agent: Registered, nowMs: number): RateLimit {
    return { name, ...allowance(this.limitOf(name, agent, nowMs).limit, state, nowMs) };
  }

  /**
   * The allowance of an agent, which is smaller while it is young, until `youngUntilMs` (docs/limits#young-agents).
   * `youngUntilMs` is undefined for all others.
   */
  limitOf(name: CounterName, agent: Registered | null, nowMs: number): { limit: number; youngUntilMs?: number } {
    const { limits, youngAgentHours, youngAgentPercent } = this.settings;
    const limit = limits[name];
    if (agent === null || youngAgentPercent === 100) return { limit };
    const youngUntilMs = agent.registeredAtMs + youngAgentHours * HOUR_MS;
    return nowMs < youngUntilMs ? { limit: Math.ceil((limit * youngAgentPercent) / 100), youngUntilMs } : { limit };
  }

  async #charged(agentId: string, nowMs: number): Promise<CountedCharges[]> {
    return this.#db.query<CountedCharges>(COUNT_CHARGES, [agentId, new Date(nowMs - WINDOW_MS)]);
  }

  /** Loads the counters of an agent from its receipts. Throws `Busy` if too many loads are waiting. */
  async #load(agentId: string, runId: string, nowMs: number): Promise<void> {
    const release = await this.#loadPermits.acquire(LOAD_WAIT_MS);
    try {
      const [raised] = await this.#db.query<{ fence: number }>(RAISE_FENCE, [agentId], OWN_CONNECTION);
      const values = [agentId, new Date(nowMs - WINDOW_MS)];
      const charges = await this.#db.query<Charge>(READ_CHARGES, values, OWN_CONNECTION);
      await orUnavailable(this.storeLoad({ agentId, runId, fence: raised!.fence, nowMs, charges }));
    } finally {
      release();
    }
  }

  /** Replaces the reservations by accepted charges, which were read under `fence` for this server process of Redis. */
  async storeLoad(load: {
    readonly agentId: string;
    readonly runId: string;
    readonly fence: number;
    readonly nowMs: number;
    readonly charges: readonly Charge[];
  }): Promise<void> {
    const { agentId, runId, fence, nowMs, charges } = load;
    const keys = COUNTER_NAMES.map((name) => this.#key(agentId, 'reservations', name));
    const names: readonly string[] = COUNTER_NAMES;
    // Of a counter that still exists. Lua numbers keys from 1, and the first one is the state.
    const known = charges
      .filter(({ counter }) => names.includes(counter))
      .flatMap(({ counter, atMs, nonce }) => [names.indexOf(counter) + 2, atMs, nonce]);
    await this.#redis.forumStoreLoad(this.#key(agentId, 'state'), ...keys, runId, fence, nowMs, ...known);
  }

  #key(agentId: string, kind: string, name?: string): string {
    const key = `forum:${this.#deploymentId}:{${agentId}}:${kind}`;
    return name === undefined ? key : `${key}:${name}`;
  }
}

type CountedCharges = CounterState & { readonly counter: string };

const stateOf = (name: CounterName, counted: readonly CountedCharges[]): CounterState =>
  counted.find(({ counter }) => counter === name) ?? { used: 0, oldestMs: null };

/** `resetAt` is when the oldest charge leaves the window, and now without charges (docs/limits). */
function allowance(limit: number, { used, oldestMs }: CounterState, nowMs: number): Allowance {
  const resetMs = oldestMs === null ? nowMs : oldestMs + WINDOW_MS;
  return { limit, remaining: Math.max(0, limit - used), resetAt: toTimestamp(resetMs) };
}

const orUnavailable = <T>(command: Promise<T>): Promise<T> =>
  command.catch((error: unknown) => {
    throw unavailable('Redis', error);
  });
