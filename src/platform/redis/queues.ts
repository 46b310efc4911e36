import { Queue } from 'bullmq';
import type { RedisConnection } from './redis.ts';

/** `delivery` has the events for agents, which no other job may delay. */
export type QueueName = 'delivery' | 'jobs';
export type Queues = Readonly<Record<QueueName, Queue>>;

const KEPT_COMPLETED = { age: 3_600, count: 1_000 };
const KEPT_FAILED = { age: 7 * 86_400, count: 5_000 };

/** In braces, so that all keys of the queues are in one slot of a cluster. */
export const prefixOf = (deploymentId: string) => `{forum-${deploymentId}}`;

export function openQueues(connection: RedisConnection, deploymentId: string): Queues {
  const open = (name: QueueName) => {
    const defaultJobOptions = { removeOnComplete: KEPT_COMPLETED, removeOnFail: KEPT_FAILED };
    const queue = new Queue(name, { connection, prefix: prefixOf(deploymentId), defaultJobOptions });
    queue.on('error', () => {});
    return queue;
  };
  return { delivery: open('delivery'), jobs: open('jobs') };
}
