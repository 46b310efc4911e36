import { Redis } from 'ioredis';
import type pg from 'pg';

/**
 * What a killed worker had taken is taken again when its leases on outbox rows and its claims in the queue run out,
 * half a minute and a minute later. Ends both at once, so that no test has to wait.
 */
export async function expireClaims(pool: pg.Pool, redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl);
  try {
    const claims = await redis.keys('*:de:*');
    if (claims.length > 0) await redis.del(...claims);
  } finally {
    redis.disconnect();
  }
  await pool.query("UPDATE outbox SET lease_until = '-infinity'");
}
