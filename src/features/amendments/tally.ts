import { type Db, sql } from '../../platform/postgres/postgres.ts';

/** By the database's own time, of which the service's clock is a sample (contract 1). */
const TALLY = sql('governance.tally', 'SELECT release.settle_amendments(clock_timestamp()) AS settled');

/**
 * The job that stores the outcome of every amendment whose vote has ended (contract 11): each once, however many tally at
 * the same time. Returns how many that were.
 */
export async function tallyAmendments(db: Db): Promise<number> {
  return (await db.query<{ settled: number }>(TALLY))[0]!.settled;
}
