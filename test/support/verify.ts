import assert from 'node:assert/strict';
import { verify } from '../../src/ops/verify.ts';
import { Postgres } from '../../src/platform/postgres/postgres.ts';
import type { TestForum } from './forum.ts';

/** Fails with everything that `npm run verify` finds wrong with the ledger of this database. */
export async function assertLedgerAt(databaseUrl: string): Promise<void> {
  const db = new Postgres({ url: databaseUrl, maxConnections: 1, applicationName: 'forum test verify' });
  try {
    assert.deepEqual(await verify(db), []);
  } finally {
    await db.close();
  }
}

/** Fails with everything that is wrong with the ledger of a forum; every scenario that moves karma ends with it. */
export async function assertLedger(forum: TestForum): Promise<void> {
  assert.deepEqual(await verify(forum.api.kernel.db), []);
}
