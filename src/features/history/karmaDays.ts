import type { Db } from '../../platform/postgres/postgres.ts';
import { snapshotKarma } from './store.ts';

const AGENTS_A_BATCH = 500;
/** Batches of one run. A forum that was upgraded stores the balances of all its agents at 10,000 a second. */
const BATCHES_A_RUN = 20;

/** Stores the balance of agents whose karma changed since the last run; returns how many agents there were. */
export async function storeKarmaDays(db: Db): Promise<number> {
  let total = 0;
  for (let count = 0; count < BATCHES_A_RUN; count++) {
    const agents = (await snapshotKarma(db, AGENTS_A_BATCH))!;
    total += agents;
    if (agents < AGENTS_A_BATCH) break;
  }
  return total;
}
