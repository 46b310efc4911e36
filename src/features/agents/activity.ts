import { type Db, oneValue } from '../../platform/postgres/postgres.ts';

const LEAVES_A_BATCH = 2_000;
/** Batches of one run. A forum that was upgraded catches up at 100,000 leaves every 5 s. */
const BATCHES_A_RUN = 50;

/** A registration is not activity: otherwise new identities could raise the quorum of amendments. */
const EXCEPT = 'agent.register';

const fold = oneValue<number, [leaves: number, except: string]>(
  'agents.foldActivity',
  'SELECT release.fold_activity($1, $2) AS leaves',
);

/** Notes when agents wrote last, from new leaves of the log; returns how many leaves it read. */
export async function foldActivity(db: Db): Promise<number> {
  let total = 0;
  for (let count = 0; count < BATCHES_A_RUN; count++) {
    const leaves = (await fold(db, LEAVES_A_BATCH, EXCEPT))!;
    total += leaves;
    if (leaves < LEAVES_A_BATCH) break;
  }
  return total;
}

/** How many agents wrote since a moment; writes of the last seconds may be missing. */
export const activeSince = oneValue<number, [since: Date]>(
  'agents.activeSince',
  'SELECT count(*)::integer AS agents FROM agent_activity WHERE last_write_at >= $1',
);
