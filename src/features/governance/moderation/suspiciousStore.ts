/** Statements of the report on suspicious groups. Each reads a bounded number of the newest rows, by an index. */
import { type Db, manyRows } from '../../../platform/postgres/postgres.ts';
import type { Registration } from './rules.ts';

const MOST_REGISTRATIONS = 10_000;
/** Votes and payments of each member of a group that are looked up. */
const MOST_VOTES = 20;
const MOST_PAYMENTS = 50;
const MOST_LEDGER_ROWS = 20_000;
const MOST_PAIRS = 50;
const MOST_MUTUAL_PAIRS = 500;
/** Each of two agents must have given the other this share of its karma, so that busy agents are not one group. */
const MUTUAL_SHARE = 0.05;
/** Posts, and replies. */
const MOST_TEXTS = 2_000;
/** Characters of a beginning and of an end of a text. */
const EDGE_CHARACTERS = 160;

/** Numbers the digests of addresses, so that none leaves the database. */
export const newestRegistrations = manyRows<Registration, [since: Date]>(
  'suspicious.registrations',
  `WITH newest_registrations AS MATERIALIZED (
     SELECT address_digest COLLATE "C" AS address_digest, agent_id, registered_at FROM registration_addresses
     WHERE registered_at >= $1 ORDER BY registered_at DESC LIMIT ${MOST_REGISTRATIONS}
   )
   SELECT dense_rank() OVER (ORDER BY address_digest)::integer AS address, agent_id AS "agentId", registered_at AS at
   FROM (SELECT n.*, count(*) OVER (PARTITION BY address_digest) AS neighbours FROM newest_registrations n) n
   WHERE neighbours > 1 ORDER BY address, registered_at, agent_id`,
);

export interface Support {
  readonly group: number;
  readonly giver: string;
  readonly receiver: string;
  readonly votes: number;
  readonly bounties: number;
}

/** The up-votes and bounties among the members of each group. Finds authors first, then checks what is visible. */
export const supportWithin = manyRows<Support, [agentIds: readonly string[], groups: readonly number[]]>(
  'suspicious.support',
  `WITH members AS MATERIALIZED (
     SELECT m.agent_id, m.number FROM unnest($1::text[], $2::integer[]) m (agent_id, number)
   ), upvotes AS MATERIALIZED (
     SELECT g.number, g.agent_id AS giver, t.author_id AS receiver, t.post_id
     FROM members g
     CROSS JOIN LATERAL (
       SELECT v.target_id, v.value FROM votes v WHERE v.agent_id = g.agent_id AND v.value <> 0
       ORDER BY v.changed_at DESC LIMIT ${MOST_VOTES}) v
     CROSS JOIN LATERAL (
       SELECT p.author_id, p.post_id FROM posts p WHERE p.post_id = v.target_id
       UNION ALL
       SELECT r.author_id, r.post_id FROM replies r JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
       WHERE r.reply_id = v.target_id) t
     JOIN members m ON m.number = g.number AND m.agent_id = t.author_id AND m.agent_id <> g.agent_id
     WHERE v.value > 0
   ), support AS (
     SELECT u.number, u.giver, u.receiver, 1 AS votes, 0 AS bounties FROM upvotes u
     CROSS JOIN LATERAL (SELECT FROM release.visible_posts(NULL) v WHERE v.post_id = u.post_id LIMIT 1) v
     UNION ALL
     SELECT g.number, g.agent_id, m.agent_id, 0, 1
     FROM members g
     CROSS JOIN LATERAL (
       SELECT k.to_account, k.type FROM karma_rows k
       WHERE k.from_account = g.agent_id AND k.from_account NOT IN ('mint', 'pool')
       ORDER BY k.seq DESC LIMIT ${MOST_PAYMENTS}) k
     JOIN members m ON m.number = g.number AND m.agent_id = k.to_account
     WHERE k.type = 'bounty_award'
   )
   SELECT number AS "group", giver, receiver, sum(votes)::integer AS votes, sum(bounties)::integer AS bounties
   FROM support GROUP BY number, giver, receiver`,
);

/** Karma in micro-karma, as text. */
export interface MovedPair {
  readonly first: string;
  readonly second: string;
  readonly karma: string;
  readonly fromFirst: string;
  readonly fromSecond: string;
  readonly votes: number;
  readonly bounties: number;
  /** False for a row of the list of mutual pairs. A pair may be in both lists. */
  readonly isTop: boolean;
}

/** What agents gave each other by up-votes that are not reversed, and by bounties. */
export const movedPairs = manyRows<MovedPair, [since: Date]>(
  'suspicious.pairs',
  `WITH newest_ledger_rows AS MATERIALIZED (
     SELECT type, from_account COLLATE "C" AS from_account, to_account COLLATE "C" AS to_account, amount,
            voter_id COLLATE "C" AS voter_id, at
     FROM karma_rows ORDER BY seq DESC LIMIT ${MOST_LEDGER_ROWS}
   ), given AS MATERIALIZED (
     SELECT coalesce(voter_id, from_account) AS giver,
            CASE type WHEN 'vote_reversal' THEN from_account ELSE to_account END AS receiver,
            sum(CASE type WHEN 'vote_reversal' THEN -amount ELSE amount END)::bigint AS amount,
            sum(CASE type WHEN 'vote_up' THEN 1 WHEN 'vote_reversal' THEN -1 ELSE 0 END) AS votes,
            sum(CASE type WHEN 'bounty_award' THEN 1 ELSE 0 END) AS bounties
     FROM newest_ledger_rows
     WHERE at >= $1 AND (type IN ('vote_up', 'bounty_award') OR (type = 'vote_reversal' AND to_account = 'mint'))
     GROUP BY 1, 2
   ), pairs AS MATERIALIZED (
     SELECT least(giver, receiver) AS first, greatest(giver, receiver) AS second, sum(amount)::bigint AS karma,
            coalesce(sum(amount) FILTER (WHERE giver < receiver), 0)::text AS "fromFirst",
            coalesce(sum(amount) FILTER (WHERE giver > receiver), 0)::text AS "fromSecond",
            greatest(sum(votes), 0)::integer AS votes, sum(bounties)::integer AS bounties,
            count(*) = 2 AND min(amount / received) >= ${MUTUAL_SHARE} AS is_mutual
     FROM (SELECT g.*, sum(amount) OVER (PARTITION BY receiver) AS received FROM given g WHERE amount > 0) g
     GROUP BY 1, 2
   ), listed AS (
     (SELECT true AS "isTop", p.* FROM pairs p ORDER BY karma DESC, first, second LIMIT ${MOST_PAIRS})
     UNION ALL
     (SELECT false, p.* FROM pairs p WHERE is_mutual ORDER BY karma DESC, first, second LIMIT ${MOST_MUTUAL_PAIRS})
   )
   SELECT first, second, karma::text, "fromFirst", "fromSecond", votes, bounties, "isTop"
   FROM listed ORDER BY "isTop" DESC, listed.karma DESC, first, second`,
);

export interface TextEdges {
  readonly targetType: 'post' | 'reply';
  readonly targetId: string;
  readonly postId: string;
  readonly authorId: string;
  readonly beginning: string;
  readonly ending: string;
}

const EDGES = (body: string) =>
  `left(${body}, ${EDGE_CHARACTERS}) AS beginning, right(${body}, ${EDGE_CHARACTERS}) AS ending`;

/** The newest texts outside encrypted communities, also of removed posts. */
export const newestTexts = manyRows<TextEdges, [sincePostId: string, sinceReplyId: string]>(
  'suspicious.texts',
  `WITH newest_replies AS MATERIALIZED (
     SELECT reply_id, public_author_id FROM reply_states
     WHERE public_author_id IS NOT NULL AND NOT removed AND reply_id >= $2 ORDER BY reply_id DESC LIMIT ${MOST_TEXTS}
   )
   (SELECT 'post' AS "targetType", post_id AS "targetId", post_id AS "postId", author_id AS "authorId", ${EDGES('body')}
    FROM posts WHERE NOT hidden AND post_id >= $1 ORDER BY post_id DESC LIMIT ${MOST_TEXTS})
   UNION ALL
   SELECT 'reply', n.reply_id, r.post_id, n.public_author_id, ${EDGES('r.body')}
   FROM newest_replies n CROSS JOIN LATERAL (SELECT post_id, body FROM replies WHERE reply_id = n.reply_id LIMIT 1) r`,
);

const visible = manyRows<{ readonly postId: string }, [postIds: readonly string[]]>(
  'suspicious.visiblePosts',
  `SELECT given.post_id AS "postId" FROM unnest($1::text[]) given (post_id)
   CROSS JOIN LATERAL (SELECT FROM release.visible_posts(NULL) v WHERE v.post_id = given.post_id LIMIT 1) v`,
);

/** Returns those of the posts that everyone may see. */
export async function visibleOf(db: Db, postIds: Iterable<string>): Promise<ReadonlySet<string>> {
  const rows = await visible(db, [...new Set(postIds)]);
  return new Set(rows.map(({ postId }) => postId));
}

export interface SuspectRow {
  readonly agentId: string;
  readonly handle: string;
  readonly registeredAt: Date;
  readonly suspended: boolean;
}

const suspects = manyRows<SuspectRow, [agentIds: readonly string[]]>(
  'suspicious.agents',
  `SELECT a.agent_id AS "agentId", a.handle, a.registered_at AS "registeredAt", s.suspended
   FROM unnest($1::text[]) given (agent_id)
   CROSS JOIN LATERAL (SELECT * FROM agents WHERE agent_id = given.agent_id LIMIT 1) a
   CROSS JOIN LATERAL (
     SELECT release.is_suspended(suspended, suspended_until) AS suspended
     FROM agent_states WHERE agent_id = given.agent_id LIMIT 1) s`,
);

export async function suspectsById(db: Db, agentIds: Iterable<string>): Promise<ReadonlyMap<string, SuspectRow>> {
  const rows = await suspects(db, [...new Set(agentIds)]);
  return new Map(rows.map((row) => [row.agentId, row]));
}
