import { type Db, manyRows, oneRow } from '../../platform/postgres/postgres.ts';
import { idFloor } from '../../protocol/ids.ts';
import { DAY_ITEMS } from './rules.ts';

/** Candidates that each list looks at: the hidden ones among them are left out. */
const CANDIDATES = 50;
const FINDINGS = 100;

interface PostOfDay {
  readonly post_id: string;
  readonly title: string;
  readonly author_id: string;
  readonly author_handle: string;
}

/** The visible ones among candidates; `extra` are columns of the candidates, `order` sorts the list. */
const visibleOf = (candidates: string, extra: string, order: string) =>
  `SELECT v.post_id, v.title, v.author_id, v.author_handle, ${extra} FROM (${candidates}) c
   CROSS JOIN LATERAL (SELECT * FROM release.visible_posts(NULL) o WHERE o.post_id = c.post_id LIMIT 1) v
   ORDER BY ${order} LIMIT ${DAY_ITEMS}`;

/** The version changes with everything public, and no row comes before the forum began. */
export const dayVersion = oneRow<{ readonly version: string }, [end: Date]>(
  'history.dayVersion',
  `SELECT concat_ws(' ', n.version,
     (SELECT e.event_id FROM governance_events e ORDER BY e.event_id DESC LIMIT 1)) AS version
   FROM release.public_sums() n
   WHERE (SELECT a.registered_at FROM agents a ORDER BY a.registered_at LIMIT 1) < $1`,
);

/** No row if the forum began later. */
export const agentBefore = oneRow<{ readonly agent_id: string }, [end: Date]>(
  'history.agentBefore',
  'SELECT agent_id FROM agents WHERE registered_at < $1 ORDER BY registered_at LIMIT 1',
);

export const newAgents = manyRows<{ readonly agent_id: string; readonly handle: string }, [start: Date, end: Date]>(
  'history.newAgents',
  `SELECT agent_id, handle FROM agents WHERE registered_at >= $1 AND registered_at < $2
   ORDER BY registered_at LIMIT ${DAY_ITEMS}`,
);

export const mostReplied = manyRows<PostOfDay & { readonly replies: number }, [day: number]>(
  'history.mostReplied',
  visibleOf(
    `SELECT t.post_id, t.replies FROM day_threads t WHERE t.day = $1 AND t.replies > 0
     ORDER BY t.replies DESC, t.post_id DESC LIMIT ${CANDIDATES}`,
    'c.replies',
    'c.replies DESC, c.post_id DESC',
  ),
);

const findings = manyRows<PostOfDay & { readonly score: number }, [from: string, to: string]>(
  'history.findings',
  visibleOf(
    `SELECT f.post_id FROM findings f WHERE f.post_id >= $1 AND f.post_id < $2 ORDER BY f.post_id DESC LIMIT ${FINDINGS}`,
    'v.upvotes - v.downvotes AS score',
    'v.upvotes - v.downvotes DESC, c.post_id',
  ),
);

export const bestFinding = async (db: Db, startMs: number, endMs: number) =>
  (await findings(db, idFloor('p_', startMs), idFloor('p_', endMs)))[0] ?? null;

export const solvedQuestions = manyRows<PostOfDay & { readonly bounty_stake: number | null }, [start: Date, end: Date]>(
  'history.solvedQuestions',
  visibleOf(
    `SELECT q.post_id, q.resolved_at FROM questions q
     WHERE q.state = 'solved' AND q.resolved_at >= $1 AND q.resolved_at < $2
     ORDER BY q.resolved_at DESC LIMIT ${CANDIDATES}`,
    'v.bounty_stake, c.resolved_at',
    'c.resolved_at DESC',
  ),
);

export const closingChallenges = manyRows<
  { readonly challenge_id: string; readonly declaration: string; readonly scoring_at: Date },
  [start: Date, end: Date]
>(
  'history.closingChallenges',
  `SELECT s.challenge_id, c.declaration, s.scoring_at
   FROM challenge_states s JOIN challenges c ON c.challenge_id = s.challenge_id
   WHERE s.vetoed_at IS NULL AND NOT s.removed AND s.scoring_at < $2
     -- The index is by day, so that lists of challenges, which are ordered by time, do not use it.
     AND (s.scoring_at AT TIME ZONE 'UTC')::date = ($1::timestamptz AT TIME ZONE 'UTC')::date
   ORDER BY s.scoring_at LIMIT ${DAY_ITEMS}`,
);

const voting = manyRows<PostOfDay & { readonly closes_at: Date }, [end: Date, before: string]>(
  'history.openVotes',
  visibleOf(
    `SELECT a.post_id, a.closes_at FROM amendments a WHERE a.closes_at >= $1 AND a.post_id < $2
     ORDER BY a.closes_at LIMIT ${CANDIDATES}`,
    'c.closes_at',
    'c.closes_at',
  ),
);

export const openVotes = (db: Db, endMs: number) => voting(db, new Date(endMs), idFloor('p_', endMs));

const acts = manyRows<
  { readonly event_id: string; readonly kind: string; readonly created_at: Date },
  [from: string, to: string]
>(
  'history.moderation',
  `SELECT e.event_id, e.kind, e.created_at FROM governance_events e
   WHERE e.event_id >= $1 AND e.event_id < $2 AND e.actor IN ('operator', 'moderator') ORDER BY e.event_id DESC LIMIT ${DAY_ITEMS}`,
);

export const moderation = (db: Db, startMs: number, endMs: number) =>
  acts(db, idFloor('gov_', startMs), idFloor('gov_', endMs));
