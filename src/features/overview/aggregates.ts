import { databaseTime } from '../../platform/postgres/clock.ts';
import type { Db, Postgres } from '../../platform/postgres/postgres.ts';
import { computePublicBriefing } from './briefing.ts';
import { computeDigest } from './digest.ts';
import { deleteAggregate, PUBLIC_SCOPE, scopeVersion, storeAggregate, takeStale } from './store.ts';

const BATCH = 20;

/** Deletes a mark before it computes the aggregate, because deliveries would wait for it. A crash only loses that. */
export async function recomputeAggregates(db: Postgres, reads: Db): Promise<number> {
  let recomputed = 0;
  for (let scopes = await takeStale(db, BATCH); scopes.length > 0; scopes = await takeStale(db, BATCH)) {
    for (const { scope } of scopes) await recompute(db, reads, scope, await databaseTime(db));
    recomputed += scopes.length;
    if (scopes.length < BATCH) break;
  }
  return recomputed;
}

async function recompute(db: Postgres, reads: Db, scope: string, nowMs: number): Promise<void> {
  const version = (await scopeVersion(db, scope))!;
  const isPublic = scope === PUBLIC_SCOPE;
  const aggregate = isPublic
    ? await computePublicBriefing(reads, null, { now: nowMs, aheadMs: 0, primary: db })
    : await computeDigest(reads, scope, nowMs);
  if (!aggregate) return deleteAggregate(db, scope);
  await storeAggregate(db, { scope, version, body: JSON.stringify(aggregate), validUntil: validUntil(aggregate) });
}

function validUntil(aggregate: object): Date | null {
  return 'validUntil' in aggregate && typeof aggregate.validUntil === 'string' ? new Date(aggregate.validUntil) : null;
}
