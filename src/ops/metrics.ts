import cluster from 'node:cluster';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { identify, type ProcessKind } from './buildInfo.ts';
import { answerWithFigures } from './clusterMetrics.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Connections of a pool, and requests that wait for one. */
export interface PoolUsage {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

/** A pool, and by what they wait for the writes that have no connection of it to themselves. */
export interface WatchedPool {
  readonly usage: PoolUsage;
  readonly writesWaiting: Readonly<Record<'lane' | 'set' | 'row', number>>;
}

/** Requests under way, and how many were turned away since the start. */
export interface ConcurrencyUsage {
  readonly underWay: Readonly<Record<string, number>>;
  readonly turnedAway: number;
}

/** One answered request; `operation` is a name of the table, or absent for what is none. */
export interface ObservedRequest {
  readonly operation: string | undefined;
  readonly status: number;
  readonly seconds: number;
  /** Why it was refused, in constant words. */
  readonly reason?: string | undefined;
}

/** What one process measures of itself, labelled with its kind: requests or jobs, its pools, its event loop, its memory. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Histogram<'operation' | 'status'>;
  readonly #jobs: Histogram<'job' | 'outcome'>;
  readonly #turnedAway: Counter<'reason'>;

  constructor(kind: ProcessKind, processName: string) {
    identify(this.registry, kind, processName);
    const registers = [this.registry];
    // Event-loop delay, processor time, memory and garbage collection.
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Histogram({
      name: 'forum_request_seconds',
      help: 'Time to answer, by operation and status',
      labelNames: ['operation', 'status'],
      buckets: SECONDS,
      registers,
    });
    this.#jobs = new Histogram({
      name: 'forum_job_seconds',
      help: 'Time of a job, by job and outcome',
      labelNames: ['job', 'outcome'],
      buckets: SECONDS,
      registers,
    });
    this.#turnedAway = new Counter({
      name: 'forum_requests_turned_away_total',
      help: 'Requests answered 503, by reason',
      labelNames: ['reason'],
      registers,
    });
    // A counter that begins with its first event has no increase then.
    if (kind === 'api') this.#turnedAway.inc({ reason: 'too many under way' }, 0);
    if (cluster.isWorker) answerWithFigures(this.registry);
  }

  readonly observeRequest = ({ operation = 'none', status, seconds, reason }: ObservedRequest): void => {
    this.#requests.observe({ operation, status }, seconds);
    if (status === 503) this.#turnedAway.inc({ reason: reason ?? 'unknown' });
  };

  readonly observeJob = ({ job, seconds, error }: { job: string; seconds: number; error?: unknown }): void => {
    this.#jobs.observe({ job, outcome: error === undefined ? 'done' : 'failed' }, seconds);
  };

  /** Shows the use of this process's pools, by name. */
  watchPools(pools: Readonly<Record<string, WatchedPool>>): void {
    new Gauge({
      name: 'forum_pool_connections',
      help: 'Connections of a pool in use and idle, and requests that wait for one',
      labelNames: ['pool', 'state'],
      registers: [this.registry],
      collect() {
        for (const [pool, { usage }] of Object.entries(pools)) {
          const { total, idle, waiting } = usage;
          this.set({ pool, state: 'used' }, total - idle);
          this.set({ pool, state: 'idle' }, idle);
          this.set({ pool, state: 'waiting' }, waiting);
        }
      },
    });
    new Gauge({
      name: 'forum_writes_waiting',
      help: 'Writes that wait behind others on a shared connection, to be sent as a set, and for a row that others want',
      labelNames: ['pool', 'where'],
      registers: [this.registry],
      collect() {
        for (const [pool, { writesWaiting }] of Object.entries(pools)) {
          for (const [where, count] of Object.entries(writesWaiting)) this.set({ pool, where }, count);
        }
      },
    });
  }

  /** Shows what this process keeps of finished answers. */
  watchCopies(copies: { readonly bytes: number }): void {
    new Gauge({
      name: 'forum_copies_bytes',
      help: 'Bytes of finished answers that are kept',
      registers: [this.registry],
      collect() {
        this.set(copies.bytes);
      },
    });
  }

  /** Shows the requests under way, and those that were turned away because there were too many. */
  watchConcurrency(limit: { readonly usage: ConcurrencyUsage }): void {
    const registers = [this.registry];
    new Gauge({
      name: 'forum_requests_under_way',
      help: 'Requests under way, by kind: read, write (signed), preview, unsigned-write',
      labelNames: ['kind'],
      registers,
      collect() {
        for (const [kind, count] of Object.entries(limit.usage.underWay)) this.set({ kind }, count);
      },
    });
    new Gauge({
      name: 'forum_requests_turned_away',
      help: 'Deprecated, see forum_requests_turned_away_total: requests answered 503 because too many were under way',
      registers,
      collect() {
        this.set(limit.usage.turnedAway);
      },
    });
  }

  async text(): Promise<string> {
    return this.registry.metrics();
  }
}
