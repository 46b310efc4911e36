import { databaseTime } from '../../platform/postgres/clock.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { MAX_PROBLEMS } from '../../platform/postgres/slices.ts';

const AGENTS = 2_000;
/** A write that began before a pass can commit after it compared the agent. */
const MARGIN = "interval '1 minute'";

interface Slice {
  readonly ids: string[];
  readonly last: string;
}

/**
 * Agents whose rank differs from their balance or their latest text. Checks agents that this pass compared today and
 * that did not change since (`rank_agents`). After a moderation action it leaves out the latest texts.
 */
const RANKS = sql(
  'agents.verifyRanks',
  `WITH slice AS MATERIALIZED (
     SELECT a.agent_id, a.registered_at FROM agents a WHERE a.agent_id > $1 ORDER BY a.agent_id LIMIT ${AGENTS}
   ), pass AS MATERIALIZED (
     SELECT p.last_agent_id, p.began_at - ${MARGIN} AS since,
       NOT EXISTS (SELECT FROM (SELECT e.created_at FROM governance_events e ORDER BY e.event_id DESC LIMIT 1) e
                   WHERE e.created_at > p.began_at - ${MARGIN}) AS without_acts
     FROM agent_rank_pass p WHERE release.karma_day(CASE WHEN isfinite(p.began_at) THEN p.began_at END) = release.karma_day($2)
   )
   SELECT (SELECT max(agent_id) FROM slice) AS last, ARRAY(
     SELECT s.agent_id FROM slice s
     JOIN pass ON s.registered_at < pass.since AND (pass.last_agent_id = '' OR s.agent_id <= pass.last_agent_id)
     LEFT JOIN LATERAL (SELECT * FROM agent_ranks o WHERE o.agent_id = s.agent_id LIMIT 1) k ON true
     CROSS JOIN LATERAL (
       SELECT greatest(s.registered_at,
         (SELECT p.created_at FROM post_states o JOIN posts p ON p.post_id = o.post_id
          WHERE o.public_author_id = s.agent_id AND NOT o.removed ORDER BY o.post_id DESC LIMIT 1),
         (SELECT r.created_at FROM reply_states o JOIN replies r ON r.reply_id = o.reply_id
          WHERE o.public_author_id = s.agent_id AND NOT o.removed ORDER BY o.reply_id DESC LIMIT 1)) AS at) wrote
     CROSS JOIN LATERAL (
       SELECT greatest('-infinity',
         (SELECT r.at FROM karma_rows r
          WHERE r.to_account = s.agent_id AND r.to_account NOT IN ('mint', 'pool') AND r.to_account <> r.from_account
          ORDER BY r.seq DESC LIMIT 1),
         (SELECT r.at FROM karma_rows r
          WHERE r.from_account = s.agent_id AND r.from_account NOT IN ('mint', 'pool')
          ORDER BY r.seq DESC LIMIT 1)) AS at) moved
     LEFT JOIN LATERAL release.karma_figures(s.agent_id, $2) f ON true
     WHERE k.agent_id IS NULL
       OR (pass.without_acts AND wrote.at < pass.since AND k.active_at <> wrote.at)
       OR (moved.at < pass.since AND k.balance <> coalesce(f.grace + f.main + f.escrowed_grace + f.escrowed_main, 0))
     ORDER BY s.agent_id) AS ids
   WHERE EXISTS (SELECT FROM slice)`,
);

/** Compares the ranks of agents. While others write, `db` must be a REPEATABLE READ transaction. */
export async function verifyAgentRanks(db: Db): Promise<string[]> {
  const at = new Date(await databaseTime(db));
  const problems: string[] = [];
  for (let after = ''; problems.length < MAX_PROBLEMS; ) {
    const [slice] = await db.query<Slice>(RANKS, [after, at]);
    if (!slice) break;
    for (const id of slice.ids)
      problems.push(`agent ${id}: its rank in the orders of the roster is not what its rows make`);
    after = slice.last;
  }
  return problems.slice(0, MAX_PROBLEMS);
}
