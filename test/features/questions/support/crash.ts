import { Redis } from 'ioredis';
import type pg from 'pg';

/**
 * Ends what a killed worker holds, so that no test has to wait until it expires. Leases on outbox rows expire after
 * half a minute, claims in the queue after a minute, and the lease on periodic jobs after 10 s.
 */
export async function expireClaims(pool: pg.Pool, redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl);
  try {
    const claims = await Promise.all(['*:de:*', '*:periodic'].map((pattern) => redis.keys(pattern)));
    if (claims.flat().length > 0) await redis.del(...claims.flat());
  } finally {
    redis.disconnect();
  }
  await pool.query("UPDATE outbox SET lease_until = '-infinity'");
}
