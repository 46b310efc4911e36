import { Together } from '../together.ts';
import type { RedisConnection } from './redis.ts';

/** The rolling window of every counter: an allowance returns exactly 24 hours after it was used (docs/limits). */
export const WINDOW_SECONDS = 86_400;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
/** A write that is not committed by then after its admission never will be (docs/reconcile). */
export const WRITE_DEADLINE_MS = 20_000;
/** How far a timestamp may be off, either way (docs/signing). */
export const CLOCK_TOLERANCE_SECONDS = 300;
/**
 * How long a nonce is remembered (docs/signing#what-is-strict): a timestamp is accepted for so many whole seconds before and
 * after its own, and a nonce kept 60 s longer than that.
 */
const NONCE_TTL_SECONDS = 2 * CLOCK_TOLERANCE_SECONDS + 1 + 60;
/** The log of an agent nobody hears from goes with its last charge. */
const LOG_TTL_SECONDS = WINDOW_SECONDS + 60;
const LOADING_TTL_MS = 3_000;

/** How full one counter is; times in unix milliseconds. */
export interface CounterState {
  readonly used: number;
  /** When the oldest charge was made, or null when nothing is charged. */
  readonly oldestMs: number | null;
}

/** What a look at all counters found beside their states. */
export interface PeekedState extends CounterState {
  /** Charges of writes that are accepted by now or never will be. */
  readonly decided: number;
}

/** A charge as it is given back: the request that made it, because another one may come to own the nonce. */
export interface Charge {
  readonly agentId: string;
  readonly counter: string;
  readonly nonce: string;
  readonly requestId: string;
}

/** A write whose `conflict` answers are limited. */
export interface Attempt {
  readonly agentId: string;
  readonly operation: string;
  readonly requestId: string;
}

export type Admission =
  | { readonly result: 'load'; readonly runId: string }
  /** Full, and some of it may be charges of writes that never were accepted. */
  | { readonly result: 'doubt' }
  | { readonly result: 'replay' }
  | {
      readonly result: 'admitted';
      readonly fence: number;
      readonly reserved: boolean;
      readonly counter: CounterState;
      /** Where nothing was left: how many of the charges may yet turn out to be none. */
      readonly undecided: number;
    };

export type Peek =
  | { readonly result: 'load'; readonly runId: string }
  | {
      readonly result: 'counters';
      readonly runId: string;
      readonly fence: number;
      /** A charge older than the write deadline was not checked against the receipts yet. */
      readonly doubtful: boolean;
      readonly counters: readonly PeekedState[];
    };

/** What Postgres knows of an agent's last day: the source from which Redis is filled again. */
export interface AgentLog {
  readonly fence: number;
  /** Charges of the rolling window by counter: the nonce that made it and when (unix ms). */
  readonly charges: Readonly<Record<string, readonly { readonly nonce: string; readonly atMs: number }[]>>;
}

/*
 * The marker `<run_id>:<fence>:<checkedAt>` says that the agent's keys were filled from Postgres into this very run of
 * Redis, and that every charge up to checkedAt is that of an accepted write. A Redis that was emptied has no marker; one
 * that came back from a file that is a second old has another run_id.
 */
const READ_MARKERS = `
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local function readMarker(key)
  local marker = redis.call('GET', key)
  if marker then return string.match(marker, '^(%w+):(%d+):(%d+)$') end
end
`;
const READ_MARKER = `${READ_MARKERS}
local markerRun, fence, checkedAt = readMarker(KEYS[1])
`;

/*
 * For each request in turn, KEYS: marker, nonce, log. ARGV: request id, nonce, now, limit (-1: no counter), spend the nonce
 * (1 or 0), reserve a charge (1 or 0), a fence that Postgres has left behind (-1: none). Where one fails, the others do not,
 * but of a replica, which takes none: the client ends its connection for that reply.
 * The nonce's value is the request's own id, so that a command that the Redis client sent twice is no replay. A charge
 * under a nonce that was not spent yet came from the receipts: the write was accepted before Redis was emptied. Were it
 * not refused here, or the nonce left to this request, its refusal later would give that charge back. A full log may hold
 * reservations of processes that died: when one is older than the write deadline and was not checked since, that is done
 * before anybody is refused.
 */
const ADMIT = `${READ_MARKERS}
local function admit(markerKey, nonceKey, logKey, request, nonce, now, limit, spend, reserve, outdated)
  local markerRun, fence, checkedAt = readMarker(markerKey)
  if markerRun ~= run or tonumber(fence) <= tonumber(outdated) then return {'load', run} end
  now, limit, spend, reserve = tonumber(now), tonumber(limit), spend == '1', reserve == '1'
  local fresh = spend and redis.call('SET', nonceKey, request, 'NX', 'EX', ${NONCE_TTL_SECONDS})
  if spend and not fresh and redis.call('GET', nonceKey) ~= request then return {'replay'} end
  if limit < 0 then return {'admitted', fence, 0, 0, '', 0} end
  redis.call('ZREMRANGEBYSCORE', logKey, '-inf', now - ${WINDOW_MS})
  local used, reserved, undecided = redis.call('ZCARD', logKey), 0, 0
  if reserve and redis.call('ZSCORE', logKey, nonce) then
    if fresh then
      redis.call('SET', nonceKey, '', 'EX', ${NONCE_TTL_SECONDS})
      return {'replay'}
    end
    reserved = 1
  elseif used < limit then
    reserved = 1
    if reserve then
      redis.call('ZADD', logKey, now, nonce)
      redis.call('EXPIRE', logKey, ${LOG_TTL_SECONDS})
      used = used + 1
    end
  elseif redis.call('ZCOUNT', logKey, '(' .. checkedAt, now - ${WRITE_DEADLINE_MS}) > 0 then
    return {'doubt'}
  else
    undecided = redis.call('ZCOUNT', logKey, '(' .. checkedAt, '+inf')
  end
  local oldest = redis.call('ZRANGE', logKey, 0, 0, 'WITHSCORES')
  return {'admitted', fence, reserved, used, oldest[2] or '', undecided}
end
local answers = {}
for n = 0, #KEYS / 3 - 1 do
  local k, a = 3 * n, 7 * n
  local done, answer = pcall(admit, KEYS[k + 1], KEYS[k + 2], KEYS[k + 3],
    ARGV[a + 1], ARGV[a + 2], ARGV[a + 3], ARGV[a + 4], ARGV[a + 5], ARGV[a + 6], ARGV[a + 7])
  local failure = not done and (type(answer) == 'table' and answer.err or tostring(answer))
  if failure and string.find(failure, 'READONLY', 1, true) then return redis.error_reply('READONLY it is a replica') end
  answers[n + 1] = done and answer or {'failed', failure}
end
return answers
`;

/*
 * KEYS: nonce, log. ARGV: request id, nonce. Only the request that spent the nonce may take its charge back: one whose
 * command was lost on the way has no charge, and the same nonce may by now be that of an accepted write.
 */
const GIVE_BACK = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('ZREM', KEYS[2], ARGV[2]) end
return 0
`;

/*
 * KEYS: marker, logs…. ARGV: now. Answers the fence, whether a charge older than the write deadline was not checked yet (1
 * or 0), then for each log, in order: used, oldest, and how many charges are older than the deadline.
 */
const PEEK = `${READ_MARKER}
if markerRun ~= run then return {'load', run} end
local now = tonumber(ARGV[1])
local result = {'counters', run, fence, 0}
for i = 2, #KEYS do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now - ${WINDOW_MS})
  if redis.call('ZCOUNT', KEYS[i], '(' .. checkedAt, now - ${WRITE_DEADLINE_MS}) > 0 then result[4] = 1 end
  local oldest = redis.call('ZRANGE', KEYS[i], 0, 0, 'WITHSCORES')
  result[#result + 1] = redis.call('ZCARD', KEYS[i])
  result[#result + 1] = oldest[2] or ''
  result[#result + 1] = redis.call('ZCOUNT', KEYS[i], '-inf', now - ${WRITE_DEADLINE_MS})
end
return result
`;

/* KEYS: marker. ARGV: run id, fence, checked up to. Says so in the marker, unless the log was rebuilt meanwhile. */
const VOUCH = `${READ_MARKER}
if run ~= ARGV[1] or markerRun ~= run or fence ~= ARGV[2] then return 0 end
if tonumber(checkedAt) >= tonumber(ARGV[3]) then return 1 end
redis.call('SET', KEYS[1], run .. ':' .. fence .. ':' .. ARGV[3], 'EX', ${LOG_TTL_SECONDS})
return 1
`;

/*
 * KEYS: marker, then the logs. ARGV: run id, fence, checked up to, then for each log the number of its charges and their
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

/*
 * KEYS: attempts. ARGV: attempt, now, limit. Takes one place among `limit` in the window, which the attempt keeps if it ends in a
 * conflict. Answers 1, or 0 with the time of the oldest and how many of them may not have ended yet.
 */
const BEGIN_ATTEMPT = `
local now = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${WINDOW_MS})
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then
    local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
    return {0, oldest[2] or ARGV[2], redis.call('ZCOUNT', KEYS[1], now - ${WRITE_DEADLINE_MS}, '+inf')}
  end
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('EXPIRE', KEYS[1], ${LOG_TTL_SECONDS})
end
return {1, ARGV[2], 0}
`;

/** So many admissions hold up Redis for half a millisecond. */
const MOST_TOGETHER = 32;

interface AdmissionRequest {
  readonly agentId: string;
  readonly nonce: string;
  readonly requestId: string;
  readonly nowMs: number;
  readonly counter: { readonly name: string; readonly limit: number } | null;
  readonly spend: boolean;
  readonly reserve: boolean;
  /** That of an admission which Postgres refused: the log has to be loaded again. */
  readonly outdatedFence?: number | undefined;
}

type Script = (...args: (string | number)[]) => Promise<unknown>;
interface Scripts {
  forumAdmit: Script;
  forumGiveBack: Script;
  forumPeek: Script;
  forumVouch: Script;
  forumInstall: Script;
  forumBeginAttempt: Script;
}

/** Nonces and counters of a deployment's agents in Redis. All keys of an agent share one cluster slot. */
export class AdmissionStore {
  readonly #redis: RedisConnection;
  readonly #scripts: Scripts;
  readonly #deploymentId: string;
  readonly #together: Together<AdmissionRequest, Admission>;

  constructor(redis: RedisConnection, deploymentId: string) {
    this.#redis = redis;
    this.#deploymentId = deploymentId;
    this.#together = new Together((requests) => this.#admitAll(requests), { most: MOST_TOGETHER });
    redis.defineCommand('forumAdmit', { lua: ADMIT });
    redis.defineCommand('forumGiveBack', { numberOfKeys: 2, lua: GIVE_BACK });
    redis.defineCommand('forumVouch', { numberOfKeys: 1, lua: VOUCH });
    redis.defineCommand('forumPeek', { lua: PEEK });
    redis.defineCommand('forumInstall', { lua: INSTALL });
    redis.defineCommand('forumBeginAttempt', { numberOfKeys: 1, lua: BEGIN_ATTEMPT });
    this.#scripts = redis as unknown as Scripts;
  }

  /**
   * Spends the nonce and reserves one charge of `counter`, each unless told not to, in one round trip. Who asks at the same
   * time shares it, but of a cluster, where agents are on several nodes.
   */
  async admit(request: AdmissionRequest): Promise<Admission> {
    if (!this.#redis.isCluster) return this.#together.ask(request);
    const [admission] = await this.#admitAll([request]);
    if (admission instanceof Error) throw admission;
    return admission!;
  }

  async #admitAll(requests: readonly AdmissionRequest[]): Promise<(Admission | Error)[]> {
    const keys: string[] = [];
    const args: (string | number)[] = [];
    for (const { agentId, nonce, requestId, nowMs, counter, spend, reserve, outdatedFence = -1 } of requests) {
      keys.push(this.#markerKey(agentId), this.#nonceKey(agentId, nonce));
      keys.push(this.#logKey(agentId, counter?.name ?? 'none'));
      args.push(requestId, nonce, nowMs, counter?.limit ?? -1, spend ? 1 : 0, reserve ? 1 : 0, outdatedFence);
    }
    const answers = (await this.#scripts.forumAdmit(keys.length, ...keys, ...args)) as AdmissionAnswer[];
    return answers.map(readAdmission);
  }

  /** How full the named counters are, or `load` when Redis does not know this agent. */
  async peek(agentId: string, names: readonly string[], nowMs: number): Promise<Peek> {
    const keys = [this.#markerKey(agentId), ...names.map((name) => this.#logKey(agentId, name))];
    const answer = (await this.#scripts.forumPeek(keys.length, ...keys, nowMs)) as (string | number)[];
    const [result, runId, fence, doubtful, ...figures] = answer;
    if (result === 'load') return { result, runId: String(runId) };
    const counters = names.map((_, index) => {
      const [used, oldest, decided] = figures.slice(index * 3);
      return { used: Number(used), oldestMs: oldest === '' ? null : Number(oldest), decided: Number(decided) };
    });
    return { result: 'counters', runId: String(runId), fence: Number(fence), doubtful: doubtful === 1, counters };
  }

  /** Gives a reservation back, after a failure that surely left nothing behind. */
  async giveBack({ agentId, counter, nonce, requestId }: Charge): Promise<void> {
    await this.#scripts.forumGiveBack(this.#nonceKey(agentId, nonce), this.#logKey(agentId, counter), requestId, nonce);
  }

  /**
   * Takes a place for an attempt that may end in a conflict: undefined where it has one, else when the next place is free, unix
   * milliseconds. Losing Redis frees all places.
   */
  async beginAttempt(
    { agentId, operation, requestId }: Attempt,
    limit: number,
    nowMs: number,
  ): Promise<number | undefined> {
    const key = this.#attemptsKey(agentId, operation);
    const [begun, oldest, undecided] = (await this.#scripts.forumBeginAttempt(key, requestId, nowMs, limit)) as [
      number,
      string,
      number,
    ];
    if (begun === 1) return undefined;
    const freeMs = Number(oldest) + WINDOW_MS;
    return undecided === 0 ? freeMs : Math.min(freeMs, nowMs + WRITE_DEADLINE_MS);
  }

  /** Gives the place of an attempt back that did not end in a conflict. */
  async endAttempt({ agentId, operation, requestId }: Attempt): Promise<void> {
    await this.#redis.zrem(this.#attemptsKey(agentId, operation), requestId);
  }

  /** Says that the charges that a peek found decided are those of accepted writes, unless the log changed hands since. */
  async vouch(agentId: string, { runId, fence }: { runId: string; fence: number }, uptoMs: number): Promise<void> {
    await this.#scripts.forumVouch(this.#markerKey(agentId), runId, fence, uptoMs);
  }

  /** Makes the next look at an agent's counters load them from Postgres. */
  async forget(agentId: string): Promise<void> {
    await this.#redis.del(this.#markerKey(agentId));
  }

  /** Lets one caller at a time load an agent; true for the one that may. The lock goes by itself after 3 s. */
  async beginLoading(agentId: string, requestId: string): Promise<boolean> {
    return (await this.#redis.set(this.#loadingKey(agentId), requestId, 'PX', LOADING_TTL_MS, 'NX')) === 'OK';
  }

  async endLoading(agentId: string): Promise<void> {
    await this.#redis.del(this.#loadingKey(agentId));
  }

  /** Writes what Postgres knows into the run of Redis that asked for it. */
  async install(
    agentId: string,
    runId: string,
    log: AgentLog,
    nowMs: number,
    counters: readonly string[],
  ): Promise<void> {
    const keys = [this.#markerKey(agentId), ...counters.map((name) => this.#logKey(agentId, name))];
    // A write that arrived before and is admitted after this load has an earlier time than it, and is to be checked too.
    const args: (string | number)[] = [runId, log.fence, nowMs - WRITE_DEADLINE_MS];
    for (const name of counters) {
      const charges = log.charges[name] ?? [];
      args.push(charges.length);
      for (const { nonce, atMs } of charges) args.push(atMs, nonce);
    }
    await this.#scripts.forumInstall(keys.length, ...keys, ...args);
  }

  #key(agentId: string, ...rest: string[]): string {
    return ['forum', this.#deploymentId, `{${agentId}}`, ...rest].join(':');
  }

  #markerKey = (agentId: string) => this.#key(agentId, 'marker');
  #nonceKey = (agentId: string, nonce: string) => this.#key(agentId, 'nonce', nonce);
  #logKey = (agentId: string, counter: string) => this.#key(agentId, 'log', counter);
  #attemptsKey = (agentId: string, operation: string) => this.#key(agentId, 'conflicts', operation);
  #loadingKey = (agentId: string) => this.#key(agentId, 'loading');
}

/** What the script says of one request. */
type AdmissionAnswer = [
  result: string,
  first: string,
  reserved: number,
  used: number,
  oldest: string,
  undecided: number,
];

function readAdmission([result, first, reserved, used, oldest, undecided]: AdmissionAnswer): Admission | Error {
  if (result === 'load') return { result, runId: first };
  if (result === 'replay' || result === 'doubt') return { result };
  if (result === 'failed') return new Error(first);
  return {
    result: 'admitted',
    fence: Number(first),
    reserved: reserved === 1,
    counter: { used, oldestMs: oldest === '' ? null : Number(oldest) },
    undecided,
  };
}
