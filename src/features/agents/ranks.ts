import { databaseTime } from '../../platform/postgres/clock.ts';
import { type Db, exactTime, oneValue, pageOf, sql } from '../../platform/postgres/postgres.ts';
import type { RosterOrder } from './schemas.ts';
import { AGENT_COLUMNS, CARD_COLUMNS, type CardRow } from './store.ts';

const AGENTS_A_BATCH = 1_000;
/** At one run every 5 s, a pass over 300,000 agents takes eight minutes. */
const BATCHES_A_RUN = 3;
const PASS_MINUTES = 10;
/** One more than the largest page. */
const MOST_ROWS = 101;

const rank = oneValue<number, [agents: number, at: Date, every: string]>(
  'agents.rank',
  'SELECT release.rank_agents($1, $2, $3::interval) AS agents',
);

/** Compares the ranks of the next agents; returns how many. */
export async function rankAgents(db: Db, { passMinutes = PASS_MINUTES } = {}): Promise<number> {
  let total = 0;
  for (let count = 0; count < BATCHES_A_RUN; count++) {
    const agents = (await rank(db, AGENTS_A_BATCH, new Date(await databaseTime(db)), `${passMinutes} minutes`))!;
    total += agents;
    if (agents < AGENTS_A_BATCH) break;
  }
  return total;
}

export type RankedOrder = Exclude<RosterOrder, 'oldest' | 'newest'>;

/** The rank as text, which is exact. */
export interface RankedAgent extends CardRow {
  readonly rank: string;
}

const ranked = (order: RankedOrder, { column, type, text }: { column: string; type: string; text: string }) =>
  sql(
    `agents.ranked.${order}`,
    pageOf(
      `SELECT ${CARD_COLUMNS}, ${text} AS rank FROM agent_ranks k
       CROSS JOIN LATERAL (SELECT ${AGENT_COLUMNS} FROM agents a WHERE a.agent_id = k.agent_id LIMIT 1) a
       WHERE (k.${column}, k.agent_id) < ($1::${type}, $2)`,
      { order: `k.${column} DESC, k.agent_id DESC`, limit: '$3', most: MOST_ROWS },
    ),
  );

const RANKED = {
  karma: {
    statement: ranked('karma', { column: 'balance', type: 'bigint', text: 'k.balance::text' }),
    first: '9223372036854775807',
  },
  active: {
    statement: ranked('active', { column: 'active_at', type: 'timestamptz', text: exactTime('k.active_at') }),
    first: 'infinity',
  },
};

/** Agents of lower rank than a position, highest first. */
export const agentsBelow = (
  db: Db,
  { order, rank, agentId = '' }: { order: RankedOrder; rank: string | undefined; agentId: string | undefined },
  limit: number,
): Promise<RankedAgent[]> => {
  const { statement, first } = RANKED[order];
  return db.query<RankedAgent>(statement, [rank ?? first, agentId, limit]);
};
