import { COUNTER_NAMES, type Config, type CounterName } from '../config.ts';
import { Refusal, unavailable } from '../operation/errors.ts';
import type { Allowance, RateLimit } from '../operation/operation.ts';
import { toTimestamp } from '../platform/codec/text.ts';
import { type Postgres, sql } from '../platform/postgres/postgres.ts';
import { Semaphore } from '../platform/postgres/semaphore.ts';
import {
  type AdmissionRequest,
  type AdmissionStore,
  type Admitted,
  type Attempt,
  type Charge,
  type CounterState,
  type Reservation,
  WINDOW_MS,
  WRITE_DEADLINE_MS,
} from './admissionStore.ts';

/** A request that finds its counters missing again after this many loads is rejected. */
const MAX_LOADS = 20;
/** After the loss of Redis every active agent is loaded again. This bound leaves most connections to writes. */
const CONCURRENT_LOADS = 4;
const MAX_WAITING_LOADS = 1_024;
const LOAD_WAIT_MS = 3_000;

/**
 * Raises the agent's fencing token. Waits for the agent's writes that are under way, which hold the row FOR SHARE.
 * Later, the database rejects every write that was admitted under an older token (docs/limits#how-a-charge-is-made). So
 * after this statement the receipts contain every charge that the older tokens will ever make.
 */
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

/**
 * Admission control: spends the nonces of signed requests and reserves allowances in Redis. The receipts in PostgreSQL are the
 * truth. Redis is loaded from them when it has lost an agent's counters (docs/limits#how-a-charge-is-made).
 */
export class AdmissionControl {
  readonly #store: AdmissionStore;
  readonly #db: Postgres;
  readonly #limits: Config['limits'];
  /** The loads under way by agent. All requests of an agent share one. */
  readonly #loads = new Map<string, Promise<void>>();
  readonly #loadPermits = new Semaphore(CONCURRENT_LOADS, MAX_WAITING_LOADS);

  constructor(store: AdmissionStore, db: Postgres, limits: Config['limits']) {
    this.#store = store;
    this.#db = db;
    this.#limits = limits;
  }

  /** Spends the nonce of a read. Returns false for a replay. Throws `unavailable` without Redis. */
  spendNonce(agentId: string, nonce: string, requestId: string): Promise<boolean> {
    return reached(this.#store.spendNonce(agentId, nonce, requestId));
  }

  /** Spends the nonce of a write and reserves an allowance. Returns null for a replay. Throws `unavailable` without Redis. */
  async admit(request: AdmissionRequest & { readonly counter: CounterName | null }): Promise<Admitted | null> {
    const limit = request.counter ? this.#limits[request.counter] : 0;
    for (let loads = 0; loads <= MAX_LOADS; loads++) {
      const admission = await reached(this.#store.admit(request, limit));
      if (admission.result === 'replay') return null;
      if (admission.result === 'admitted') return admission;
      await this.#load(request.agentId, admission.runId, request.nowMs);
    }
    throw unavailable('the counters are being loaded');
  }

  /**
   * Returns the allowance of a write that certainly stored nothing. If Redis does not respond, the reservation remains until
   * the next load.
   */
  async refund(reservation: Reservation): Promise<void> {
    await this.#store.refund(reservation).catch(() => {});
  }

  /**
   * Counts an attempt that may end in a conflict. Throws `rate_limited` when the agent has used up its conflicts of the day, and
   * `unavailable` without Redis.
   */
  async beginAttempt(attempt: Attempt, limit: number, nowMs: number): Promise<void> {
    const freeMs = await reached(this.#store.beginAttempt(attempt, limit, nowMs));
    if (freeMs === null) return;
    throw new Refusal('rate_limited', { retryAfterSeconds: (freeMs - nowMs) / 1_000, reason: 'too many conflicts' });
  }

  /** Removes an attempt that did not end in a conflict. If Redis does not respond, it counts as one. */
  async endAttempt(attempt: Attempt): Promise<void> {
    await this.#store.endAttempt(attempt).catch(() => {});
  }

  /**
   * The figures of a counter that had nothing left. If accepted writes do not fill it, reservations do. Those are decided at
   * the write deadline, so nobody is sent away for longer on their account.
   */
  async exhausted(agentId: string, name: CounterName, nowMs: number): Promise<RateLimit> {
    const state = (await this.#charged(agentId, nowMs))[name];
    const figures = this.rateLimit(name, state, nowMs);
    if (figures.remaining === 0) return figures;
    const decidedMs = nowMs + WRITE_DEADLINE_MS;
    const resetMs = state.oldestMs === null ? decidedMs : Math.min(state.oldestMs + WINDOW_MS, decidedMs);
    return { ...figures, remaining: 0, resetAt: toTimestamp(resetMs) };
  }

  /** All allowances of an agent now, by its receipts. */
  async allowances(agentId: string, nowMs: number): Promise<Record<CounterName, Allowance>> {
    return this.#allowancesOf(await this.#charged(agentId, nowMs), nowMs);
  }

  /** The allowances of an anonymous caller: the limits, with nothing used. */
  unusedAllowances(nowMs: number): Record<CounterName, Allowance> {
    return this.#allowancesOf(statesFrom([]), nowMs);
  }

  /** The figures of one counter as receipts carry them. */
  rateLimit(name: CounterName, state: CounterState, nowMs: number): RateLimit {
    return { name, ...allowance(this.#limits[name], state, nowMs) };
  }

  #allowancesOf(states: Readonly<Record<CounterName, CounterState>>, nowMs: number): Record<CounterName, Allowance> {
    return byCounter((name) => allowance(this.#limits[name], states[name], nowMs));
  }

  /** The charges of accepted writes in the window that ends now. */
  async #charged(agentId: string, nowMs: number): Promise<Record<CounterName, CounterState>> {
    const values = [agentId, new Date(nowMs - WINDOW_MS)];
    return statesFrom(await this.#db.query<CountedCharges>(COUNT_CHARGES, values));
  }

  #load(agentId: string, runId: string, nowMs: number): Promise<void> {
    const begin = () => this.#loadNow(agentId, runId, nowMs).finally(() => this.#loads.delete(agentId));
    const load = this.#loads.get(agentId) ?? begin();
    this.#loads.set(agentId, load);
    return load;
  }

  /** Loads the counters of an agent from its receipts. Throws `Busy` if too many loads are waiting. */
  async #loadNow(agentId: string, runId: string, nowMs: number): Promise<void> {
    const release = await this.#loadPermits.acquire(LOAD_WAIT_MS);
    try {
      const [raised] = await this.#db.alone.query<{ fence: number }>(RAISE_FENCE, [agentId]);
      const charges = await this.#db.alone.query<Charge>(READ_CHARGES, [agentId, new Date(nowMs - WINDOW_MS)]);
      await reached(this.#store.storeLoad({ agentId, runId, fence: raised!.fence, nowMs, charges }));
    } finally {
      release();
    }
  }
}

type CountedCharges = CounterState & { readonly counter: string };

const byCounter = <T>(entry: (name: CounterName) => T): Record<CounterName, T> =>
  Object.fromEntries(COUNTER_NAMES.map((name) => [name, entry(name)])) as Record<CounterName, T>;

const statesFrom = (counted: readonly CountedCharges[]): Record<CounterName, CounterState> =>
  byCounter((name) => counted.find(({ counter }) => counter === name) ?? { used: 0, oldestMs: null });

/** `resetAt` is when the oldest charge leaves the window, and now without charges (docs/limits). */
function allowance(limit: number, { used, oldestMs }: CounterState, nowMs: number): Allowance {
  const resetMs = oldestMs === null ? nowMs : oldestMs + WINDOW_MS;
  return { limit, remaining: Math.max(0, limit - used), resetAt: toTimestamp(resetMs) };
}

/** Maps every failure of Redis to `unavailable`. */
async function reached<T>(command: Promise<T>): Promise<T> {
  return command.catch((error: unknown) => {
    throw unavailable('Redis', error);
  });
}
