import type { Config } from '../../config.ts';
import { DatabaseClock } from '../../platform/postgres/clock.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { type Progress, sealReceipt } from './receipts.ts';
import { lostRuns, mintReceipt } from './store.ts';

const BATCH = 100;

/**
 * Ends every run whose worker has been silent for longer than any call may take, with a receipt that says `uncertain`
 * and what was sent until then. Returns how many that were.
 */
export async function sweepLostRuns(db: Db, meter: Config['meter']): Promise<number> {
  const runs = await lostRuns(db, BATCH);
  if (runs.length === 0) return 0;
  const clock = new DatabaseClock(db);
  await clock.start();
  clock.stop();
  let ended = 0;
  for (const run of runs) {
    const progress = JSON.parse(run.progress) as Progress;
    const sealed = sealReceipt(run, progress, 'uncertain', clock.now(), meter.receiptSigningKey);
    if (await mintReceipt(db, run, sealed, { lost: true })) ended += 1;
  }
  return ended;
}
