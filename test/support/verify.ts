import assert from 'node:assert/strict';
import { verifyLedger } from '../../src/features/karma/verify.ts';
import { HOLD_SOURCES, verify } from '../../src/ops/verify.ts';
import { type Db, Postgres } from '../../src/platform/postgres/postgres.ts';
import type { TestForum } from './forum.ts';

/** Fails with everything that `npm run verify` finds wrong with this database. */
export async function assertVerifiedAt(databaseUrl: string): Promise<void> {
  const db = new Postgres({ url: databaseUrl, maxConnections: 1, applicationName: 'forum test verify' });
  try {
    assert.deepEqual(await verify(db), []);
  } finally {
    await db.close();
  }
}

/** The same of a forum; every scenario that moves karma ends with it. */
export async function assertVerified(forum: TestForum): Promise<void> {
  assert.deepEqual(await verify(forum.api.services.db), []);
}

/** The ledger alone, of a forum in which a test has removed or suspended by SQL, so without an event. */
export async function assertLedger(forum: TestForum): Promise<void> {
  const ledger = (snapshot: Db) => verifyLedger(snapshot, HOLD_SOURCES);
  assert.deepEqual(await forum.api.services.db.inTransaction(ledger, { snapshot: true }), []);
}
