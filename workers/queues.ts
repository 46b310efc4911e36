import { type Job, type JobsOptions, Worker } from 'bullmq';
import { openQueues, prefixOf, type QueueName, type Queues } from '../src/platform/redis/queues.ts';
import type { RedisConnection } from '../src/platform/redis/redis.ts';
import { readTraceText, type Span, type Tracing } from '../src/platform/tracing.ts';

/** Jobs that workers run again and again, with the pause between two runs in milliseconds. They have no payload. */
export const PERIODIC_JOBS = {
  'search.index': 2_000,
  'overview.recompute': 1_000,
  /** Ends the probes of crashed workers. */
  'meter.sweep': 2_000,
  'amendment.tally': 1_000,
  'karma.foldPool': 10_000,
  /** Stores where the karma of agents came from, once per UTC day. */
  'karma.foldProvenance': 60_000,
  /** Notes when agents wrote last. */
  'agents.foldActivity': 5_000,
  /** Stores the balances of agents whose karma changed (docs/agents#history-of-an-agent). */
  'history.storeKarmaDays': 5_000,
  /** Compares the orders of the roster with balances and texts. */
  'agents.rank': 5_000,
  /** Compares the orders of posts with their states, after an upgrade or the removal of a community. */
  'posts.rank': 2_000,
  /** Creates the next partitions, removes expired rows, and ends inbox entries that were read long ago. */
  'retention.sweep': 60_000,
} as const;

export type PeriodicJobName = keyof typeof PERIODIC_JOBS;

/** The payloads of jobs: ids and small figures, never content or secrets. */
export interface JobPayloads extends Record<PeriodicJobName, Record<string, never>> {
  /** Applies a batch of outbox rows. Rows that are gone are skipped, so a batch may come twice. */
  'outbox.apply': { outboxIds: string[] };
  'question.sweep': { outboxId: string; jobId: string };
  /** A probe, at an agent's request. Only the worker that claims its run in the database makes it. */
  'meter.probe': { outboxId: string; runId: string };
}

export type JobName = keyof JobPayloads;

export interface Origin {
  readonly requestId: string;
  readonly traceId?: string;
  /** The span below which the job continues the trace of the request. */
  readonly spanId?: string | undefined;
}

/** The different origins of rows of the outbox. Rows that no request caused have none. */
export function originsOf(rows: readonly { readonly requestId: string | null; readonly traceId: string | null }[]) {
  const origins = new Map<string, Origin>();
  for (const { requestId, traceId } of rows) {
    if (requestId !== null) origins.set(requestId, { requestId, ...(traceId === null ? {} : readTraceText(traceId)) });
  }
  return [...origins.values()];
}

/** How many jobs of each queue a worker process runs at a time. One job delivers while another one is prepared. */
const CONCURRENCY: Readonly<Record<QueueName, number>> = { delivery: 2, jobs: 8 };
const QUEUE_NAMES = Object.keys(CONCURRENCY) as QueueName[];
/** The size of a connection pool depends on it. */
export const TOTAL_CONCURRENCY = CONCURRENCY.delivery + CONCURRENCY.jobs;

const queueOf = (job: JobName): QueueName => (job === 'outbox.apply' ? 'delivery' : 'jobs');

/** Another worker gets the job of a crashed worker after 15 to 30 s. */
const LOCK_MS = 15_000;

export type JobHandlers = { [Name in JobName]: (payload: JobPayloads[Name]) => Promise<unknown> };

export class JobQueues {
  readonly queues: Queues;
  readonly #redis: RedisConnection;
  readonly #leaseKey: string;

  constructor(connection: RedisConnection, deploymentId: string) {
    this.#redis = connection;
    this.#leaseKey = `${prefixOf(deploymentId)}:periodic`;
    this.queues = openQueues(connection, deploymentId);
  }

  /** The origins are not part of the payload, because workers of release 1.1.0 accept no other properties in it. */
  async add<Name extends JobName>(
    name: Name,
    payload: JobPayloads[Name],
    options: JobsOptions = {},
    origins: readonly Origin[] = [],
  ): Promise<void> {
    const telemetry = origins.length === 0 ? {} : { telemetry: { metadata: JSON.stringify(origins) } };
    await this.queues[queueOf(name)].add(name, payload, { ...options, ...telemetry });
  }

  async waitingDeliveries(): Promise<number> {
    return this.queues.delivery.getWaitingCount();
  }

  /** Takes or renews the lease of the periodic jobs. Returns false while another worker process holds it. */
  async holdPeriodicLease(holder: string, ms: number): Promise<boolean> {
    if ((await this.#redis.set(this.#leaseKey, holder, 'PX', ms, 'NX')) === 'OK') return true;
    if ((await this.#redis.get(this.#leaseKey)) !== holder) return false;
    return (await this.#redis.pexpire(this.#leaseKey, ms)) === 1;
  }

  async endPeriodicLease(): Promise<void> {
    await this.#redis.del(this.#leaseKey);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.queues).map((queue) => queue.close()));
  }
}

export interface JobOutcome {
  readonly job: string;
  readonly seconds: number;
  readonly origins: readonly Origin[];
  readonly error?: unknown;
}

/** A span in the trace of each origin that was traced. */
export const spansBelow = (
  tracing: Tracing | undefined,
  name: string,
  origins: readonly Origin[],
  startedAtMs: number,
) =>
  origins.flatMap(({ traceId, spanId }): Span | [] =>
    tracing && traceId && spanId ? tracing.below(name, { traceId, spanId }, startedAtMs) : [],
  );

/** `onProblem` is called for problems outside any job: a lost Redis, or a job whose worker crashed. */
export function startJobWorkers(
  connection: RedisConnection,
  deploymentId: string,
  handlers: JobHandlers,
  {
    onOutcome,
    onProblem,
    tracing,
  }: {
    onOutcome(outcome: JobOutcome): void;
    onProblem(problem: unknown): void;
    tracing?: Tracing | undefined;
  },
) {
  const underWay = new Set<Promise<unknown>>();
  const perform = async (name: string, payload: unknown, origins: readonly Origin[]): Promise<unknown> => {
    const startedAt = performance.now();
    const outcome = () => ({ job: name, seconds: (performance.now() - startedAt) / 1_000, origins });
    try {
      if (!(name in handlers)) throw new Error(`no handler for the job ${name}`);
      const work = handlers[name as JobName](payload as never);
      underWay.add(work);
      const result = await work.finally(() => underWay.delete(work));
      onOutcome(outcome());
      return result;
    } catch (error) {
      onOutcome({ ...outcome(), error });
      throw error;
    }
  };
  const performQueued = async ({ name, data, opts, timestamp }: Job) => {
    const origins = JSON.parse(opts.telemetry?.metadata ?? '[]') as Origin[];
    // The span begins when the job was queued; its child, when a worker took it.
    const spans = spansBelow(tracing, `job ${name}`, origins, timestamp);
    const work = spans.reduce(
      (inner, span) => () => span.during(name === 'outbox.apply' ? 'delivery' : 'work', inner()),
      () => perform(name, data, origins),
    );
    return work().finally(() => {
      for (const span of spans) span.end();
    });
  };
  const prefix = prefixOf(deploymentId);
  const workers = QUEUE_NAMES.map((name) => {
    const options = { connection, prefix, concurrency: CONCURRENCY[name], lockDuration: LOCK_MS };
    const worker = new Worker(name, performQueued, { ...options, stalledInterval: LOCK_MS });
    worker.on('error', onProblem);
    worker.on('stalled', (jobId) => onProblem(new Error(`the worker of job ${jobId} in ${name} died`)));
    return worker;
  });
  return {
    run: (name: PeriodicJobName) => perform(name, {}, []).catch(() => undefined),
    /** Takes no more jobs and waits until those under way are done and reported to Redis. */
    close: () => Promise.all(workers.map((worker) => worker.close())),
    /** Waits until the jobs under way are done, even if Redis is lost. */
    finished: () => Promise.allSettled(underWay),
  };
}
