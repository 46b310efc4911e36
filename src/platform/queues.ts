import { type Job, type JobsOptions, Queue, Worker } from 'bullmq';
import { checkedPayload, type JobName, type JobPayloads } from './jobs.ts';
import type { RedisConnection } from './redis.ts';

/** In braces, so that a queue's keys share one slot of a cluster. Tests give each database a prefix of its own. */
export const QUEUE_PREFIX = '{forum}';
const QUEUE_NAME = 'jobs';

const KEPT_COMPLETED = { age: 3_600, count: 1_000 };
const KEPT_FAILED = { age: 7 * 86_400, count: 5_000 };

export type JobHandlers = { [Name in JobName]: (payload: JobPayloads[Name]) => Promise<unknown> };

/** Adds jobs to the one queue. */
export class JobQueue {
  readonly queue: Queue;

  constructor(connection: RedisConnection) {
    this.queue = new Queue(QUEUE_NAME, {
      connection,
      prefix: QUEUE_PREFIX,
      defaultJobOptions: { removeOnComplete: KEPT_COMPLETED, removeOnFail: KEPT_FAILED },
    });
    this.queue.on('error', () => {});
  }

  async add<Name extends JobName>(name: Name, payload: JobPayloads[Name], options: JobsOptions = {}): Promise<void> {
    await this.queue.add(name, checkedPayload(name, payload), options);
  }

  async close(): Promise<void> {
    await this.queue.close();
  }
}

function run<Name extends JobName>(handlers: JobHandlers, name: Name, data: unknown): Promise<unknown> {
  return handlers[name](checkedPayload(name, data));
}

/** Works on jobs until closed; `close` waits for the ones under way. */
export function startWorker(
  connection: RedisConnection,
  handlers: JobHandlers,
  options: { readonly concurrency: number; readonly onFailure: (name: string, error: Error) => void },
): Worker {
  const handle = async ({ name, data }: Job): Promise<unknown> => {
    if (!(name in handlers)) throw new Error(`no handler for the job ${name}`);
    return run(handlers, name as JobName, data);
  };
  const worker = new Worker(QUEUE_NAME, handle, {
    connection,
    prefix: QUEUE_PREFIX,
    concurrency: options.concurrency,
  });
  worker.on('failed', (job, error) => options.onFailure(job?.name ?? 'unknown', error));
  worker.on('error', (error) => options.onFailure('worker', error));
  return worker;
}
