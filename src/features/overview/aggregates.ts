import { databaseTime } from '../../platform/clock.ts';
import type { Db, Postgres } from '../../platform/postgres.ts';
import { computePublicBriefing } from './briefing.ts';
import { computeDigest } from './digest.ts';
import { forgetMinutes, keepCopy, PUBLIC_SCOPE, scopeVersion, takeStale } from './store.ts';

const BATCH = 20;

/**
 * Computes the copies anew that events have made stale: many events, one computation. The marks go in the transaction
 * that keeps the copies, so a crash in between loses neither; and a copy that is missing only makes its readers compute.
 */
export async function recomputeAggregates(db: Postgres): Promise<number> {
  let recomputed = 0;
  for (;;) {
    const taken = await db.inTransaction(async (tx) => recomputeBatch(tx, await databaseTime(tx)));
    recomputed += taken;
    if (taken < BATCH) break;
  }
  await forgetMinutes(db, new Date(await databaseTime(db)));
  return recomputed;
}

async function recomputeBatch(db: Db, nowMs: number): Promise<number> {
  const scopes = await takeStale(db, BATCH);
  for (const scope of scopes) {
    const version = await scopeVersion(db, scope);
    const copy =
      scope === PUBLIC_SCOPE ? await computePublicBriefing(db, null, nowMs) : await computeDigest(db, scope, nowMs);
    if (copy) await keepCopy(db, { scope, version, body: JSON.stringify(copy), validUntil: validUntil(copy) });
  }
  return scopes.length;
}

/** When a copy stops being true by the clock alone; never, for most. */
function validUntil(copy: object): Date | null {
  return 'validUntil' in copy && typeof copy.validUntil === 'string' ? new Date(copy.validUntil) : null;
}
