import { type Job, type JobsOptions, Queue, Worker } from 'bullmq';
import type { Origin } from '../origins.ts';
import { checkedPayload, type JobName, type JobPayloads } from './jobs.ts';
import type { RedisConnection } from './redis.ts';

/** In braces, so that a queue's keys share one slot of a cluster. */
const prefixOf = (deploymentId: string) => `{forum-${deploymentId}}`;

/** The queues, and how many jobs of each a worker process does at a time. */
const CONCURRENCY = {
  /** What agents wait to hear of: it never stands behind a job that takes long. One delivers, one stands ready. */
  delivery: 2,
  jobs: 8,
} as const;

type QueueName = keyof typeof CONCURRENCY;
const QUEUE_NAMES = Object.keys(CONCURRENCY) as QueueName[];
/** Jobs at a time, for whoever sizes a pool of connections. */
export const TOTAL_CONCURRENCY = CONCURRENCY.delivery + CONCURRENCY.jobs;

const queueOf = (job: JobName): QueueName => (job === 'outbox.apply' ? 'delivery' : 'jobs');

const KEPT_COMPLETED = { age: 3_600, count: 1_000 };
const KEPT_FAILED = { age: 7 * 86_400, count: 5_000 };
/** A job whose worker died is given to another one after so long at most twice over. */
const LOCK_MS = 15_000;

export type JobHandlers = { [Name in JobName]: (payload: JobPayloads[Name]) => Promise<unknown> };

/** Adds jobs of a deployment, each to its queue. */
export class JobQueues {
  readonly queues: Readonly<Record<QueueName, Queue>>;

  constructor(connection: RedisConnection, deploymentId: string) {
    const prefix = prefixOf(deploymentId);
    const open = (name: QueueName) => {
      const queue = new Queue(name, {
        connection,
        prefix,
        defaultJobOptions: { removeOnComplete: KEPT_COMPLETED, removeOnFail: KEPT_FAILED },
      });
      queue.on('error', () => {});
      return queue;
    };
    this.queues = { delivery: open('delivery'), jobs: open('jobs') };
  }

  /** `origins` travel beside the payload, which workers of another release check by a schema of theirs. */
  async add<Name extends JobName>(
    name: Name,
    payload: JobPayloads[Name],
    options: JobsOptions = {},
    origins: readonly Origin[] = [],
  ): Promise<void> {
    const telemetry = origins.length === 0 ? {} : { telemetry: { metadata: JSON.stringify(origins) } };
    await this.queues[queueOf(name)].add(name, checkedPayload(name, payload), { ...options, ...telemetry });
  }

  /** How many batches wait for a worker. */
  async waitingDeliveries(): Promise<number> {
    return this.queues.delivery.getWaitingCount();
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.queues).map((queue) => queue.close()));
  }
}

/** What became of a job that a worker took. */
export interface JobOutcome {
  readonly job: string;
  readonly seconds: number;
  readonly origins: readonly Origin[];
  readonly error?: unknown;
}

export interface WorkerOptions {
  readonly onOutcome: (outcome: JobOutcome) => void;
  /** Told of what went wrong outside any job: a lost Redis, a job whose worker died. */
  readonly onProblem: (problem: unknown) => void;
}

export interface JobWorkers {
  /** Takes no job any more, and waits until those under way are done and Redis knows it. */
  close(): Promise<void>;
  /** Waits until the jobs that are under way now are done, whether Redis knows it or not. */
  finished(): Promise<void>;
}

/** Works on the jobs of all queues of a deployment until closed. */
export function startJobWorkers(
  connection: RedisConnection,
  deploymentId: string,
  handlers: JobHandlers,
  { onOutcome, onProblem }: WorkerOptions,
): JobWorkers {
  const underWay = new Set<Promise<unknown>>();
  const handle = async ({ name, data, opts }: Job): Promise<unknown> => {
    const startedAt = performance.now();
    const origins = JSON.parse(opts.telemetry?.metadata ?? '[]') as Origin[];
    const outcome = () => ({ job: name, seconds: (performance.now() - startedAt) / 1_000, origins });
    try {
      if (!(name in handlers)) throw new Error(`no handler for the job ${name}`);
      const work = run(handlers, name as JobName, data);
      underWay.add(work);
      const result = await work.finally(() => underWay.delete(work));
      onOutcome(outcome());
      return result;
    } catch (error) {
      onOutcome({ ...outcome(), error });
      throw error;
    }
  };
  const prefix = prefixOf(deploymentId);
  const workers = QUEUE_NAMES.map((name) => {
    const options = { connection, prefix, concurrency: CONCURRENCY[name], lockDuration: LOCK_MS };
    const worker = new Worker(name, handle, { ...options, stalledInterval: LOCK_MS });
    worker.on('error', onProblem);
    worker.on('stalled', (jobId) => onProblem(new Error(`the worker of job ${jobId} in ${name} died`)));
    return worker;
  });
  return {
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    },
    finished: async () => {
      await Promise.allSettled(underWay);
    },
  };
}

async function run<Name extends JobName>(handlers: JobHandlers, name: Name, data: unknown): Promise<unknown> {
  return handlers[name](checkedPayload(name, data));
}
