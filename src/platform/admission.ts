import type { RedisConnection } from './redis.ts';

/** The rolling window of every counter: an allowance returns exactly 24 hours after it was used (contract 4). */
export const WINDOW_SECONDS = 86_400;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
/** A write that is not committed by then after its admission never will be (contract 3). */
export const WRITE_DEADLINE_MS = 20_000;
/** A timestamp is accepted for 300 whole seconds before and after its own; a nonce is kept 60 s longer than that. */
const NONCE_TTL_SECONDS = 300 + 1 + 300 + 60;
/** The log of an agent nobody hears from goes with its last charge. */
const LOG_TTL_SECONDS = WINDOW_SECONDS + 60;
const LOADING_TTL_MS = 3_000;

/** How full one counter is; times in unix milliseconds. */
export interface CounterState {
  readonly used: number;
  /** When the oldest charge was made, or null when nothing is charged. */
  readonly oldestMs: number | null;
}

export type Admission =
  | { readonly result: 'load'; readonly runId: string }
  | { readonly result: 'replay' }
  | { readonly result: 'admitted'; readonly fence: number; readonly reserved: boolean; readonly counter: CounterState };

/** What Postgres knows of an agent's last day: the source from which Redis is filled again. */
export interface AgentLog {
  readonly fence: number;
  /** Charges of the rolling window by counter: the nonce that made it and when (unix ms). */
  readonly charges: Readonly<Record<string, readonly { readonly nonce: string; readonly atMs: number }[]>>;
}

/*
 * The marker `<run_id>:<fence>:<loadedAt>` says that the agent's keys were filled from Postgres into this very run of
 * Redis. A Redis that was emptied has no marker; one that came back from a file that is a second old has another run_id.
 */
const READ_MARKER = `
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local marker = redis.call('GET', KEYS[1])
local markerRun, fence, loadedAt
if marker then markerRun, fence, loadedAt = string.match(marker, '^(%w+):(%d+):(%d+)$') end
`;

/*
 * KEYS: marker, nonce, log. ARGV: request id, nonce, now, limit (-1: no counter), spend the nonce (1 or 0), reserve a
 * charge (1 or 0).
 * The nonce's value is the request's own id, so that a command that the Redis client sent twice is no replay. A charge
 * under a nonce that was not spent yet came from the receipts: the write was accepted before Redis was emptied. Were it
 * not refused here, its refusal later would give that charge back. A full
 * log may hold reservations of processes that died: when one is older than the write deadline and younger than the last
 * load, the log is rebuilt once before anybody is refused.
 */
const ADMIT = `${READ_MARKER}
if markerRun ~= run then return {'load', run} end
local now, limit, spend, reserve = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1', ARGV[6] == '1'
local fresh = spend and redis.call('SET', KEYS[2], ARGV[1], 'NX', 'EX', ${NONCE_TTL_SECONDS})
if spend and not fresh and redis.call('GET', KEYS[2]) ~= ARGV[1] then return {'replay'} end
if limit < 0 then return {'admitted', fence, 0, 0, ''} end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ${WINDOW_MS})
local used, reserved = redis.call('ZCARD', KEYS[3]), 0
if reserve and redis.call('ZSCORE', KEYS[3], ARGV[2]) then
  if fresh then return {'replay'} end
  reserved = 1
elseif used < limit then
  reserved = 1
  if reserve then
    redis.call('ZADD', KEYS[3], now, ARGV[2])
    redis.call('EXPIRE', KEYS[3], ${LOG_TTL_SECONDS})
    used = used + 1
  end
elseif redis.call('ZCOUNT', KEYS[3], '(' .. loadedAt, now - ${WRITE_DEADLINE_MS}) > 0 then
  return {'load', run}
end
local oldest = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
return {'admitted', fence, reserved, used, oldest[2] or ''}
`;

/* KEYS: marker, logs… . Answers used and oldest of each log, in order. */
const PEEK = `${READ_MARKER}
if markerRun ~= run then return {'load', run} end
local result = {'counters'}
for i = 2, #KEYS do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', tonumber(ARGV[1]) - ${WINDOW_MS})
  local oldest = redis.call('ZRANGE', KEYS[i], 0, 0, 'WITHSCORES')
  result[#result + 1] = redis.call('ZCARD', KEYS[i])
  result[#result + 1] = oldest[2] or ''
end
return result
`;

/*
 * KEYS: marker, then the logs. ARGV: run id, fence, now, then for each log the number of its charges and their
 * (time, nonce) pairs. A load that a newer one overtook, or that was read for another run of Redis, writes nothing.
 * Nonces are not filled in: the receipt under (agent, nonce) itself refuses the replay of an accepted write.
 */
const INSTALL = `${READ_MARKER}
if run ~= ARGV[1] then return 0 end
if markerRun == run and tonumber(fence) > tonumber(ARGV[2]) then return 0 end
local at = 4
for i = 2, #KEYS do
  local key = KEYS[i]
  redis.call('DEL', key)
  local charges = tonumber(ARGV[at])
  at = at + 1
  for _ = 1, charges do
    redis.call('ZADD', key, ARGV[at], ARGV[at + 1])
    at = at + 2
  end
  if charges > 0 then redis.call('EXPIRE', key, ${LOG_TTL_SECONDS}) end
end
redis.call('SET', KEYS[1], run .. ':' .. ARGV[2] .. ':' .. ARGV[3], 'EX', ${LOG_TTL_SECONDS})
return 1
`;

type Script = (...args: (string | number)[]) => Promise<unknown>;
interface Scripts {
  forumAdmit: Script;
  forumPeek: Script;
  forumInstall: Script;
}

/** Nonces and counters of all agents in Redis. All keys of an agent share one cluster slot. */
export class AdmissionStore {
  readonly #redis: RedisConnection;
  readonly #scripts: Scripts;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
    redis.defineCommand('forumAdmit', { numberOfKeys: 3, lua: ADMIT });
    redis.defineCommand('forumPeek', { lua: PEEK });
    redis.defineCommand('forumInstall', { lua: INSTALL });
    this.#scripts = redis as unknown as Scripts;
  }

  /** Spends the nonce and reserves one charge of `counter`, each unless told not to, in one round trip. */
  async admit(request: {
    readonly agentId: string;
    readonly nonce: string;
    readonly requestId: string;
    readonly nowMs: number;
    readonly counter: { readonly name: string; readonly limit: number } | null;
    readonly spend: boolean;
    readonly reserve: boolean;
  }): Promise<Admission> {
    const { agentId, nonce, counter } = request;
    const [result, first, reserved, used, oldest] = (await this.#scripts.forumAdmit(
      markerKey(agentId),
      nonceKey(agentId, nonce),
      logKey(agentId, counter?.name ?? 'none'),
      request.requestId,
      nonce,
      request.nowMs,
      counter?.limit ?? -1,
      request.spend ? 1 : 0,
      request.reserve ? 1 : 0,
    )) as [string, string, number, number, string];
    if (result === 'load') return { result, runId: first };
    if (result === 'replay') return { result };
    return {
      result: 'admitted',
      fence: Number(first),
      reserved: reserved === 1,
      counter: { used, oldestMs: oldest === '' ? null : Number(oldest) },
    };
  }

  /** How full the named counters are, or `load` when Redis does not know this agent. */
  async peek(
    agentId: string,
    names: readonly string[],
    nowMs: number,
  ): Promise<{ result: 'load'; runId: string } | { result: 'counters'; counters: CounterState[] }> {
    const keys = [markerKey(agentId), ...names.map((name) => logKey(agentId, name))];
    const answer = (await this.#scripts.forumPeek(keys.length, ...keys, nowMs)) as [string, ...(string | number)[]];
    if (answer[0] === 'load') return { result: 'load', runId: String(answer[1]) };
    const counters = names.map((_, index) => {
      const oldest = answer[2 + index * 2];
      return { used: Number(answer[1 + index * 2]), oldestMs: oldest === '' ? null : Number(oldest) };
    });
    return { result: 'counters', counters };
  }

  /** Gives a reservation back, after a refusal that surely left nothing behind. */
  async giveBack(agentId: string, counter: string, nonce: string): Promise<void> {
    await this.#redis.zrem(logKey(agentId, counter), nonce);
  }

  /** Lets one caller at a time load an agent; true for the one that may. The lock goes by itself after 3 s. */
  async beginLoading(agentId: string, requestId: string): Promise<boolean> {
    return (await this.#redis.set(`${keyOf(agentId)}:loading`, requestId, 'PX', LOADING_TTL_MS, 'NX')) === 'OK';
  }

  async endLoading(agentId: string): Promise<void> {
    await this.#redis.del(`${keyOf(agentId)}:loading`);
  }

  /** Writes what Postgres knows into the run of Redis that asked for it. */
  async install(
    agentId: string,
    runId: string,
    log: AgentLog,
    nowMs: number,
    counters: readonly string[],
  ): Promise<void> {
    const keys = [markerKey(agentId), ...counters.map((name) => logKey(agentId, name))];
    const args: (string | number)[] = [runId, log.fence, nowMs];
    for (const name of counters) {
      const charges = log.charges[name] ?? [];
      args.push(charges.length);
      for (const { nonce, atMs } of charges) args.push(atMs, nonce);
    }
    await this.#scripts.forumInstall(keys.length, ...keys, ...args);
  }
}

const keyOf = (agentId: string) => `forum:{${agentId}}`;
const markerKey = (agentId: string) => `${keyOf(agentId)}:marker`;
const nonceKey = (agentId: string, nonce: string) => `${keyOf(agentId)}:nonce:${nonce}`;
const logKey = (agentId: string, counter: string) => `${keyOf(agentId)}:log:${counter}`;
