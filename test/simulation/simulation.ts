// Honest and attacking agents, once on the ledger alone and once on a whole forum.
import { type ForumFigures, simulateForum } from './forum.ts';
import { type LedgerFigures, simulateLedger } from './ledger.ts';
import type { SimulationOptions } from './population.ts';

export type SimulationFigures = LedgerFigures & ForumFigures;

/** The same options give the same figures. `problems` is the result of `npm run verify` on both databases. */
export async function simulate(options: SimulationOptions): Promise<SimulationFigures> {
  const [ledger, forum] = await Promise.all([simulateLedger(options), simulateForum(options)]);
  return { ...ledger, ...forum, problems: [...ledger.problems, ...forum.problems] };
}
