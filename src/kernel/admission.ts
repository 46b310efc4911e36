import { setTimeout as sleep } from 'node:timers/promises';
import { COUNTER_NAMES, type Config, type CounterName } from '../config.ts';
import { toTimestamp } from '../platform/codec/rfc3339.ts';
import { type Postgres, sql } from '../platform/postgres/postgres.ts';
import { Semaphore } from '../platform/postgres/semaphore.ts';
import {
  type AdmissionStore,
  type Attempt,
  type Charge,
  type CounterState,
  type Peek,
  WINDOW_SECONDS,
  WRITE_DEADLINE_MS,
} from '../platform/redis/admission.ts';
import { Repairs } from '../platform/redis/repairs.ts';
import { Refusal, unavailable } from './errors.ts';
import type { Allowance, RateLimit } from './operation.ts';

const WINDOW_MS = WINDOW_SECONDS * 1_000;
const LOADING_ATTEMPTS = 200;
const LOADING_WAIT_MS = 15;
/** When a shard of Redis was lost, all of its agents are loaded again: a third of the connections at most is for that. */
const LOADS_AT_ONCE = 4;
const MAX_WAITING_LOADS = 1_024;
const LOAD_WAIT_MS = 3_000;

/**
 * Raising the fence waits for every write of the agent that is under way (they hold the row FOR SHARE) and turns away those
 * that were admitted before (docs/limits#how-a-charge-is-made); so the second statement sees all charges that will ever count
 * under older fences.
 */
const RAISE_FENCE = sql(
  'admission.raiseFence',
  'UPDATE agent_states SET fence = fence + 1 WHERE agent_id = $1 RETURNING fence',
);
const READ_CHARGES = sql(
  'admission.readCharges',
  `SELECT nonce, counter, (extract(epoch FROM created_at) * 1000)::float8 AS at_ms
   FROM write_receipts WHERE agent_id = $1 AND counter IS NOT NULL AND created_at > $2`,
);
const COUNT_CHARGES = sql(
  'admission.countCharges',
  `SELECT counter, count(*)::float8 AS charges FROM write_receipts
   WHERE agent_id = $1 AND counter IS NOT NULL AND created_at > $2 AND created_at <= $3 GROUP BY counter`,
);

/** The outcome of letting a signed request in. */
export interface Admitted {
  readonly fence: number;
  /** False when the counter had nothing left; only noted here, refused after all other checks. */
  readonly reserved: boolean;
  readonly counter: CounterState;
  /** Where nothing was left: how many of the charges may yet turn out to be none. */
  readonly undecided: number;
}

export interface AdmissionRequest {
  readonly agentId: string;
  readonly nonce: string;
  readonly requestId: string;
  readonly nowMs: number;
  readonly counter: CounterName | null;
  /** Spend the nonce: all but previews (docs/posts#receipts-and-previews). */
  readonly spend: boolean;
  /** Reserve a charge, or only look whether one is left. */
  readonly reserve: boolean;
  /** The fence of an admission that Postgres refused, because the counters were rebuilt since. */
  readonly outdatedFence?: number | undefined;
}

/** Nonces and counters: Redis in front, refilled from the write receipts in Postgres whenever it lost them. */
export class AdmissionGate {
  readonly #store: AdmissionStore;
  readonly #db: Postgres;
  readonly #limits: Config['limits'];
  readonly #repairs = new Repairs();
  readonly #loads = new Semaphore(LOADS_AT_ONCE, MAX_WAITING_LOADS);

  constructor(store: AdmissionStore, db: Postgres, limits: Config['limits']) {
    this.#store = store;
    this.#db = db;
    this.#limits = limits;
  }

  /** Spends the nonce and reserves a charge. Null: the nonce was seen before. Throws `unavailable` without Redis. */
  async admit(request: AdmissionRequest): Promise<Admitted | null> {
    const { counter } = request;
    const limited = counter && { name: counter, limit: this.#limits[counter] };
    for (let attempt = 0; attempt < LOADING_ATTEMPTS; attempt++) {
      const admission = await reached(this.#store.admit({ ...request, counter: limited }));
      if (admission.result === 'replay') return null;
      if (admission.result === 'admitted') return admission;
      if (admission.result === 'doubt') await this.#states(request.agentId, request.requestId, request.nowMs);
      else await this.#load(request.agentId, admission.runId, request);
    }
    throw unavailable('the counters are being loaded');
  }

  /** Gives the charge of a write back that surely left nothing behind: now, or as soon as Redis answers again. */
  async giveBack(charge: Charge): Promise<void> {
    const give = () => this.#store.giveBack(charge);
    // Whatever is still owed at the deadline is found by whoever looks at the counters.
    await give().catch(() => this.#repairs.add(charge.requestId, give, { lastMs: WRITE_DEADLINE_MS }));
  }

  /**
   * Lets an attempt begin that may end in a conflict. Throws `rate_limited` when the agent has used up its conflicts of the day, and
   * `unavailable` without Redis.
   */
  async beginAttempt(attempt: Attempt, limit: number, nowMs: number): Promise<void> {
    const freeMs = await reached(this.#store.beginAttempt(attempt, limit, nowMs));
    if (freeMs === undefined) return;
    throw new Refusal('rate_limited', { retryAfterSeconds: (freeMs - nowMs) / 1_000, reason: 'too many conflicts' });
  }

  /** The attempt did not end in a conflict. Where Redis does not answer, it counts as one. */
  async endAttempt(attempt: Attempt): Promise<void> {
    await this.#store.endAttempt(attempt).catch(() => {});
  }

  /** A write may stand or not: once it never can any more, the agent's counters are loaded again. */
  doubt(agentId: string): void {
    const forget = () => this.#store.forget(agentId);
    this.#repairs.add(agentId, forget, { firstMs: WRITE_DEADLINE_MS, lastMs: 2 * WRITE_DEADLINE_MS });
  }

  /**
   * The figures of a counter that had nothing left. Charges that are not those of accepted writes will be gone when the
   * write deadline is over: nobody is sent away for longer on their account.
   */
  async exhausted(agentId: string, name: CounterName, admitted: Admitted, nowMs: number): Promise<RateLimit> {
    const figures = this.rateLimit(name, admitted.counter, nowMs);
    if (admitted.undecided === 0) return figures;
    const accepted = (await this.#accepted(agentId, nowMs, nowMs + WRITE_DEADLINE_MS))[name] ?? 0;
    if (accepted >= admitted.counter.used) return figures;
    const resetMs = Math.min(Date.parse(figures.resetAt), nowMs + WRITE_DEADLINE_MS);
    return { ...figures, resetAt: toTimestamp(resetMs) };
  }

  /** All counters of an agent now; without Redis they are counted from the receipts. */
  async allowances(agentId: string, requestId: string, nowMs: number): Promise<Record<CounterName, Allowance>> {
    const states = await this.#states(agentId, requestId, nowMs).catch(() => this.#statesFromReceipts(agentId, nowMs));
    return this.#asAllowances(states, nowMs);
  }

  /** What an anonymous caller is shown: the limits, nothing used. */
  unusedAllowances(nowMs: number): Record<CounterName, Allowance> {
    return this.#asAllowances(
      COUNTER_NAMES.map(() => ({ used: 0, oldestMs: null })),
      nowMs,
    );
  }

  /** The figures of one counter as receipts carry them. */
  rateLimit(name: CounterName, state: CounterState, nowMs: number): RateLimit {
    return { name, ...allowance(this.#limits[name], state, nowMs) };
  }

  #asAllowances(states: readonly CounterState[], nowMs: number): Record<CounterName, Allowance> {
    const entries = COUNTER_NAMES.map((name, index) => [name, allowance(this.#limits[name], states[index]!, nowMs)]);
    return Object.fromEntries(entries);
  }

  /** All counters, with no charge in them that is older than the write deadline and not that of an accepted write. */
  async #states(agentId: string, requestId: string, nowMs: number): Promise<readonly CounterState[]> {
    for (let attempt = 0; attempt < LOADING_ATTEMPTS; attempt++) {
      const found = await reached(this.#store.peek(agentId, COUNTER_NAMES, nowMs));
      if (found.result === 'counters' && (!found.doubtful || (await this.#vouchFor(agentId, found, nowMs)))) {
        return found.counters;
      }
      await this.#load(agentId, found.runId, { requestId, nowMs });
    }
    throw unavailable();
  }

  /**
   * Whether every decided charge has its receipt. The log never lacks a charge that has one, so counting them is enough,
   * and almost always it spares the agent's writes a rebuild.
   */
  async #vouchFor(agentId: string, found: Peek & { result: 'counters' }, nowMs: number): Promise<boolean> {
    const uptoMs = nowMs - WRITE_DEADLINE_MS;
    const accepted = await this.#accepted(agentId, nowMs, uptoMs);
    if (COUNTER_NAMES.some((name, index) => found.counters[index]!.decided > (accepted[name] ?? 0))) return false;
    await reached(this.#store.vouch(agentId, found, uptoMs));
    return true;
  }

  /** Charges of accepted writes in the window that ends now, up to a time, by counter. */
  async #accepted(agentId: string, nowMs: number, uptoMs: number): Promise<Record<string, number>> {
    const values = [agentId, new Date(nowMs - WINDOW_MS), new Date(uptoMs)];
    const rows = await this.#db.query<{ counter: string; charges: number }>(COUNT_CHARGES, values);
    return Object.fromEntries(rows.map(({ counter, charges }) => [counter, charges]));
  }

  async #statesFromReceipts(agentId: string, nowMs: number): Promise<CounterState[]> {
    const charges = await this.#charges(agentId, nowMs);
    return COUNTER_NAMES.map((name) => {
      const times = (charges[name] ?? []).map(({ atMs }) => atMs);
      return { used: times.length, oldestMs: times.length === 0 ? null : Math.min(...times) };
    });
  }

  /** Ends the repairs that are still owed. */
  stop(): void {
    this.#repairs.stop();
  }

  /** Fills Redis from Postgres, a few agents at a time; throws `Busy` when too many wait for it. */
  async #load(agentId: string, runId: string, request: { requestId: string; nowMs: number }) {
    const leave = await this.#loads.acquire(LOAD_WAIT_MS);
    const isLoaded = await this.#loadNow(agentId, runId, request).finally(leave);
    if (!isLoaded) await sleep(LOADING_WAIT_MS);
  }

  /** False while somebody else does it. */
  async #loadNow(
    agentId: string,
    runId: string,
    { requestId, nowMs }: { requestId: string; nowMs: number },
  ): Promise<boolean> {
    if (!(await reached(this.#store.beginLoading(agentId, requestId)))) return false;
    try {
      const [raised] = await this.#db.alone.query<{ fence: number }>(RAISE_FENCE, [agentId]);
      const charges = await this.#charges(agentId, nowMs);
      await reached(this.#store.install(agentId, runId, { fence: raised!.fence, charges }, nowMs, COUNTER_NAMES));
      return true;
    } finally {
      await this.#store.endLoading(agentId).catch(() => {});
    }
  }

  async #charges(agentId: string, nowMs: number): Promise<Record<string, { nonce: string; atMs: number }[]>> {
    const rows = await this.#db.alone.query<{ nonce: string; counter: string; at_ms: number }>(READ_CHARGES, [
      agentId,
      new Date(nowMs - WINDOW_MS),
    ]);
    const charges: Record<string, { nonce: string; atMs: number }[]> = {};
    for (const row of rows) {
      charges[row.counter] ??= [];
      charges[row.counter]!.push({ nonce: row.nonce, atMs: row.at_ms });
    }
    return charges;
  }
}

/** `resetAt` is when the oldest charge leaves the window; now, when nothing is charged (docs/limits). */
function allowance(limit: number, { used, oldestMs }: CounterState, nowMs: number): Allowance {
  const resetMs = oldestMs === null ? nowMs : oldestMs + WINDOW_MS;
  return { limit, remaining: Math.max(0, limit - used), resetAt: toTimestamp(resetMs) };
}

/** Every failure of Redis is `unavailable` to whoever needed it. */
async function reached<T>(command: Promise<T>): Promise<T> {
  return command.catch((error: unknown) => {
    throw unavailable('Redis', error);
  });
}
