import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import type { RedisConnection } from '../src/platform/redis/redis.ts';

/** Where release 1 kept the queues of every deployment. */
const PREFIX = '{forum}:';
const QUEUE_MARKS = ['delivery', 'jobs'].map((queue) => `${PREFIX}${queue}:meta`);
const TRY_AGAIN_MS = 60_000;
const SCANNED_AT_ONCE = 1_000;

/**
 * Removes the queues of release 1 as soon as no worker is connected to them any more, be it of this deployment or of
 * another one on the same Redis; until then they are asked after each minute. Nothing is lost with them: events stay in
 * the outbox until they are applied, and the periodic jobs are added anew by whoever runs.
 */
export async function removeFormerQueues(redis: RedisConnection, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await areGone(redis).catch(() => false))) {
    await sleep(TRY_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

async function areGone(redis: RedisConnection): Promise<boolean> {
  if ((await redis.exists(...QUEUE_MARKS)) === 0) return true;
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  for (const node of nodes) if (await hasWorkers(node)) return false;
  for (const node of nodes) await removeKeys(node);
  return true;
}

/** A worker names its connection after the queue that it waits for. */
async function hasWorkers(node: Redis): Promise<boolean> {
  const database = ` db=${node.options.db ?? 0} `;
  const clients = String(await node.client('LIST')).split('\n');
  return clients.some((client) => client.includes(` name=${PREFIX}`) && client.includes(database));
}

/** The marks go last, so that a removal that broke off is taken up again. */
async function removeKeys(node: Redis): Promise<void> {
  for await (const keys of node.scanStream({ match: `${PREFIX}*`, count: SCANNED_AT_ONCE })) {
    const removed = (keys as string[]).filter((key) => !QUEUE_MARKS.includes(key));
    if (removed.length > 0) await node.unlink(...removed);
  }
  for (const mark of QUEUE_MARKS) await node.unlink(mark).catch(() => {});
}
