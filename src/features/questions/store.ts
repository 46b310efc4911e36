import { BEYOND_ALL, type Db, eitherWay, type Order, pageOf, sql } from '../../platform/postgres/postgres.ts';
import { callOf, effect } from '../../recording/effect.ts';
import {
  FIND_REPEATED,
  POST_PARAMETERS,
  type PostRow,
  type QuestionState,
  REPEATED_PARAMETERS,
} from '../posts/service.ts';
import type { Answer } from './rules.ts';

/** A question locked together with its post, and with the reply that is to be paid. */
export interface LockedQuestion {
  readonly author_id: string;
  readonly created_at: Date;
  readonly state: QuestionState;
  readonly hold_seq: string | null;
  readonly community_slug: string | null;
  readonly hidden: boolean;
  readonly removed: boolean;
  /** For the caller that it was locked for. */
  readonly visible: boolean;
  /** Null when there is no such visible reply to this question. */
  readonly answerer_id: string | null;
  readonly answerer_suspended: boolean | null;
}

export interface AnswerWithTime extends Answer {
  readonly createdAtMs: number;
}

const LOCK = sql('questions.lock', 'SELECT * FROM release.lock_question($1, $2, $3)');
const ANSWERS = sql(
  'questions.answers',
  `SELECT reply_id AS "replyId", reply_number AS "replyNumber", author_id AS "authorId", support::float8 AS support,
          (extract(epoch FROM created_at) * 1000)::float8 AS "createdAtMs"
   FROM release.answers($1)`,
);
const RESOLVE = sql(
  'questions.resolve',
  'UPDATE questions SET state = $2, solving_reply_id = $3, resolved_at = $4 WHERE post_id = $1',
);
/** Which questions are unanswered (docs/questions): open ones that nobody but the asker has replied to. */
const unanswered = (conditions: string, limit: `$${number}`, sorted: 'ASC' | 'DESC' = 'ASC'): string =>
  pageOf(
    `SELECT v.* FROM (
       SELECT q.post_id FROM questions q
       WHERE q.state = 'open' AND q.answer_count = 0 AND ${conditions}) q
     CROSS JOIN LATERAL (SELECT * FROM release.visible_posts(NULL) v WHERE v.post_id = q.post_id LIMIT 1) v`,
    { order: `q.post_id ${sorted}`, limit },
  );
const UNANSWERED = eitherWay('questions.unanswered', ({ beyond, sorted }) =>
  unanswered(
    `q.post_id ${beyond} $1 AND (SELECT p.author_id FROM posts p WHERE p.post_id = q.post_id) IS DISTINCT FROM $3`,
    '$2',
    sorted,
  ),
);
/** Below every identifier, and above. */
const BEFORE_ALL: Readonly<Record<Order, string>> = { oldest: '', newest: BEYOND_ALL };
const UNANSWERED_IN = sql('questions.unansweredIn', unanswered('q.community_slug = $1', '$2'));
const OPEN_BOUNTIES = sql(
  'questions.openBounties',
  `SELECT q.post_id FROM questions q JOIN posts p ON p.post_id = q.post_id
   WHERE q.state = 'open' AND q.hold_seq IS NOT NULL AND q.post_id > $1 AND p.created_at <= $2
   ORDER BY q.post_id LIMIT $3`,
);
const RECOUNT_BY_REPLY = sql(
  'questions.recountByReply',
  'SELECT release.recount_answers(ARRAY(SELECT post_id FROM replies WHERE reply_id = $1))',
);
const RECOUNT_BY_AGENT = sql(
  'questions.recountByAgent',
  `SELECT release.recount_answers(ARRAY(
     SELECT DISTINCT r.post_id FROM replies r JOIN questions q ON q.post_id = r.post_id AND q.state = 'open'
     WHERE r.author_id = $1))`,
);
const INSERT_EVENT = sql(
  'questions.insertEvent',
  `INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
   VALUES ($1, $2, 'post', $3, $4, $5, $6, $7)`,
);

/** The bounty is in karma and in micro-karma. */
const QUESTION_PARAMETERS = { ...POST_PARAMETERS, bounty_stake: 'integer', bounty_micro: 'bigint' };
export const CREATE_QUESTION = effect(
  'questions.create',
  callOf('release.create_question', QUESTION_PARAMETERS),
  { ...QUESTION_PARAMETERS, ...REPEATED_PARAMETERS },
  FIND_REPEATED,
);

/** SELECT of the holds that open questions have, for `verifyLedger`. */
export const OPEN_BOUNTY_HOLDS = `SELECT q.hold_seq, p.author_id AS agent_id, q.bounty_stake::bigint * 1000000 AS amount
  FROM questions q JOIN posts p ON p.post_id = q.post_id WHERE q.state = 'open' AND q.hold_seq IS NOT NULL`;

/** Locks a question, and the reply that is to be paid, for `callerId`; undefined when there is no such question. */
export async function lockQuestion(
  db: Db,
  postId: string,
  { callerId = null, replyId = null }: { callerId?: string | null; replyId?: string | null } = {},
): Promise<LockedQuestion | undefined> {
  return (await db.query<LockedQuestion>(LOCK, [callerId, postId, replyId]))[0];
}

export async function answersTo(db: Db, postId: string): Promise<AnswerWithTime[]> {
  return db.query<AnswerWithTime>(ANSWERS, [postId]);
}

export async function resolveQuestion(
  db: Db,
  postId: string,
  outcome: { state: QuestionState; solvingReplyId: string | null; at: Date },
): Promise<void> {
  await db.query(RESOLVE, [postId, outcome.state, outcome.solvingReplyId, outcome.at]);
}

export interface UnansweredSelection {
  readonly order: Order;
  /** Beyond which it goes on. */
  readonly postId?: string | undefined;
  readonly exceptAuthorId?: string | null;
}

/** Open public questions that nobody else has answered, in one order, without one author's own. */
export async function unansweredBeyond(
  db: Db,
  { order, postId = BEFORE_ALL[order], exceptAuthorId = null }: UnansweredSelection,
  limit: number,
): Promise<PostRow[]> {
  return db.query<PostRow>(UNANSWERED[order], [postId, limit, exceptAuthorId]);
}

/** The same of one community. */
export async function unansweredInCommunity(db: Db, slug: string, limit: number): Promise<PostRow[]> {
  return db.query<PostRow>(UNANSWERED_IN, [slug, limit]);
}

/** Open questions with a bounty that were asked by a time, after an id, in order of id. */
export async function openBountiesAfter(
  db: Db,
  { afterPostId, askedBy }: { afterPostId: string; askedBy: Date },
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ post_id: string }>(OPEN_BOUNTIES, [afterPostId, askedBy, limit]);
  return rows.map((row) => row.post_id);
}

/** Counts the answers again after a reply was removed or restored. */
export async function recountAnswersByReply(db: Db, replyId: string): Promise<void> {
  await db.query(RECOUNT_BY_REPLY, [replyId]);
}

/** Counts the answers again wherever an agent replied, after it was suspended or reinstated. */
export async function recountAnswersByAgent(db: Db, agentId: string): Promise<void> {
  await db.query(RECOUNT_BY_AGENT, [agentId]);
}

export interface QuestionEvent {
  readonly eventId: string;
  readonly kind: 'question_settled' | 'question_abandoned';
  readonly postId: string;
  readonly hidden: boolean;
  readonly reason: string;
  readonly actor: 'operator' | 'community';
  readonly at: Date;
}

export async function insertQuestionEvent(db: Db, event: QuestionEvent): Promise<void> {
  const { eventId, kind, postId, hidden, reason, actor, at } = event;
  await db.query(INSERT_EVENT, [eventId, kind, postId, hidden, reason, actor, at]);
}
