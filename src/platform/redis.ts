import { Cluster, Redis } from 'ioredis';

export type RedisConnection = Redis | Cluster;

/** Where Redis is: one server, or the nodes of a cluster (contract 15). */
export interface RedisAddress {
  readonly redisUrl: string | undefined;
  readonly redisClusterNodes: readonly { readonly host: string; readonly port: number }[] | undefined;
}

/** How a connection behaves when Redis is slow or gone. */
const PURPOSES = {
  /** Requests wait for it: fail at once rather than queue, so that a lost Redis is a 503 within half a second. */
  admission: { enableOfflineQueue: false, commandTimeout: 500, maxRetriesPerRequest: 1, enableAutoPipelining: true },
  /** BullMQ blocks on it for long and reconnects by itself. */
  queue: { maxRetriesPerRequest: null },
};

/** Opens a connection for one purpose; it reconnects for ever, at most every second. */
export function connectRedis(address: RedisAddress, purpose: keyof typeof PURPOSES): RedisConnection {
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);
  const connection = address.redisClusterNodes
    ? new Cluster([...address.redisClusterNodes], {
        redisOptions: PURPOSES[purpose],
        enableOfflineQueue: purpose !== 'admission',
      })
    : new Redis(address.redisUrl!, { ...PURPOSES[purpose], retryStrategy });
  // Every failed command already rejects its caller; without a listener a lost connection would end the process.
  connection.on('error', () => {});
  return connection;
}

/** Waits until the connection is usable, at most `timeoutMs`; throws otherwise. */
export async function redisReady(connection: RedisConnection, timeoutMs: number): Promise<void> {
  if (connection.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Redis was not ready in time')), timeoutMs);
    connection.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
