import cluster from 'node:cluster';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Postgres } from '../platform/postgres/postgres.ts';
import { RELEASE } from '../platform/postgres/release.ts';
import { VERSION } from '../protocol/service.ts';
import { answerWithFigures } from './clusterMetrics.ts';
import { gauge } from './gauge.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type ProcessKind = 'api' | 'worker';

export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Histogram<'operation' | 'status'>;
  readonly #jobs: Histogram<'job' | 'outcome'>;
  readonly #turnedAway: Counter<'reason'>;
  readonly #blocked: Counter<'reason'>;

  constructor(kind: ProcessKind, processName: string) {
    const registers = [this.registry];
    this.registry.setDefaultLabels({ process: kind });
    // The name contains the process id. As a label of every series it would begin new series at each restart.
    const help = 'Always 1: version, schema of the functions, version of Node and name of a process';
    const build = { version: VERSION, release: RELEASE, node: process.version, name: processName };
    gauge(this.registry, 'forum_build_info', help, ['version', 'release', 'node', 'name']).set(build, 1);
    // At the default precision of 10 ms, the timer for the delay of the event loop wakes an idle process 100 times a
    // second.
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 50 });
    this.#requests = new Histogram({
      name: 'forum_request_seconds',
      help: 'Time to respond, by operation and status',
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
      help: 'Requests that got 503, by reason',
      labelNames: ['reason'],
      registers,
    });
    this.#blocked = new Counter({
      name: 'forum_requests_blocked_total',
      help: 'Requests of blocked addresses that got 403, by the reason of the block',
      labelNames: ['reason'],
      registers,
    });
    // Without a first value of 0 the first rejection would not count as an increase.
    if (kind === 'api') this.#turnedAway.inc({ reason: 'too many under way' }, 0);
    if (cluster.isWorker) answerWithFigures(this.registry);
  }

  /** `operation` is undefined for an unknown path; `reason` is a constant. */
  readonly observeRequest = ({
    operation = 'none',
    status,
    seconds,
    reason,
    blocked,
  }: {
    operation: string | undefined;
    status: number;
    seconds: number;
    reason?: string | undefined;
    blocked?: string | undefined;
  }): void => {
    this.#requests.observe({ operation, status }, seconds);
    if (blocked !== undefined) this.#blocked.inc({ reason: blocked });
    if (status === 503) this.#turnedAway.inc({ reason: reason ?? 'unknown' });
  };

  readonly observeJob = ({ job, seconds, error }: { job: string; seconds: number; error?: unknown }): void => {
    this.#jobs.observe({ job, outcome: error === undefined ? 'done' : 'failed' }, seconds);
  };

  watchPools(pools: Readonly<Record<string, Pick<Postgres, 'usage' | 'writesWaiting'>>>): void {
    const connections = 'Connections of a pool in use and idle, and requests that wait for a connection';
    gauge(this.registry, 'forum_pool_connections', connections, ['pool', 'state'], (figure) => {
      for (const [pool, { usage }] of Object.entries(pools)) {
        const { total, idle, waiting } = usage;
        figure.set({ pool, state: 'used' }, total - idle);
        figure.set({ pool, state: 'idle' }, idle);
        figure.set({ pool, state: 'waiting' }, waiting);
      }
    });
    const writes =
      'Writes that wait: behind others on a pipelined connection, to be sent in a batch, and for a row that other writes want';
    gauge(this.registry, 'forum_writes_waiting', writes, ['pool', 'where'], (figure) => {
      for (const [pool, { writesWaiting }] of Object.entries(pools)) {
        figure.set({ pool, where: 'lane' }, writesWaiting.onConnection);
        figure.set({ pool, where: 'set' }, writesWaiting.forBatch);
        figure.set({ pool, where: 'row' }, writesWaiting.forRow);
      }
    });
  }

  /** Gives each reason a first value of 0, so that its first request counts as an increase. */
  watchBlocks(blocks: readonly { readonly reason: string }[]): void {
    for (const { reason } of blocks) this.#blocked.inc({ reason }, 0);
  }

  watchCache(cache: { readonly bytes: number }): void {
    const help = 'Bytes of cached responses';
    gauge(this.registry, 'forum_copies_bytes', help, [], (figure) => figure.set(cache.bytes));
  }

  /** Reports the requests under way, and how many were rejected since the start because there were too many. */
  watchConcurrency(limit: {
    readonly usage: { readonly underWay: Readonly<Record<string, number>>; readonly turnedAway: number };
  }): void {
    const kinds = 'Requests in progress, by kind: read, write (signed), preview, unsigned-write';
    gauge(this.registry, 'forum_requests_under_way', kinds, ['kind'], (figure) => {
      for (const [kind, count] of Object.entries(limit.usage.underWay)) figure.set({ kind }, count);
    });
    const turnedAway =
      'Deprecated, use forum_requests_turned_away_total: requests that got 503 because too many were in progress';
    gauge(this.registry, 'forum_requests_turned_away', turnedAway, [], (figure) => figure.set(limit.usage.turnedAway));
  }

  async text(): Promise<string> {
    return this.registry.metrics();
  }
}
