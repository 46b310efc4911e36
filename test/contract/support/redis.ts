import { Redis } from 'ioredis';

/** Empties the logical database of one test, as a Redis that came back without its data. */
export async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url);
  try {
    await redis.flushdb();
  } finally {
    redis.disconnect();
  }
}
