import { type Db, sql } from '../../platform/postgres.ts';
import type { PostRow, QuestionState } from '../posts/store.ts';
import type { Answer } from './rules.ts';

/** A question locked together with its post. */
export interface LockedQuestion {
  readonly author_id: string;
  readonly created_at: Date;
  readonly state: QuestionState;
  readonly bounty_stake: number | null;
  readonly hold_seq: string | null;
  readonly hidden: boolean;
  readonly community_slug: string | null;
  readonly removed: boolean;
}

export interface AnswerWithTime extends Answer {
  readonly createdAtMs: number;
}

const LOCK = sql('questions.lock', 'SELECT * FROM lock_question($1)');
const ANSWERS = sql(
  'questions.answers',
  `SELECT reply_id AS "replyId", reply_number AS "replyNumber", author_id AS "authorId", support::float8 AS support,
          (extract(epoch FROM created_at) * 1000)::float8 AS "createdAtMs"
   FROM answers($1)`,
);
// The answerer's state is locked against a suspension that would make the payment void.
const LOCK_ANSWER = sql(
  'questions.lockAnswer',
  `SELECT r.author_id, a.suspended FROM replies r
   JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
   JOIN agent_states a ON a.agent_id = r.author_id
   WHERE r.reply_id = $2 AND r.post_id = $1 FOR SHARE OF a, s`,
);
const RESOLVE = sql(
  'questions.resolve',
  'UPDATE questions SET state = $2, solving_reply_id = $3, resolved_at = $4 WHERE post_id = $1',
);
const UNANSWERED = sql(
  'questions.unanswered',
  `SELECT v.* FROM questions q JOIN visible_posts(NULL) v ON v.post_id = q.post_id
   WHERE q.state = 'open' AND q.answer_count = 0 AND q.post_id > $1 AND NOT v.hidden
   ORDER BY q.post_id LIMIT $2`,
);
const OPEN_BOUNTIES = sql(
  'questions.openBounties',
  `SELECT post_id FROM questions WHERE state = 'open' AND hold_seq IS NOT NULL AND post_id > $1 ORDER BY post_id LIMIT $2`,
);
const INSERT_EVENT = sql(
  'questions.insertEvent',
  `INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
   VALUES ($1, $2, 'post', $3, $4, $5, $6, $7)`,
);

/** Takes the admission and the facts first, then what `create_post` takes, then the bounty in karma and in micro. */
export const CREATE_QUESTION = sql(
  'questions.create',
  'SELECT create_question($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
);

/** SELECT of the holds that open questions have, for `verifyLedger`. */
export const OPEN_BOUNTY_HOLDS = `SELECT q.hold_seq, p.author_id AS agent_id, q.bounty_stake::bigint * 1000000 AS amount
  FROM questions q JOIN posts p ON p.post_id = q.post_id WHERE q.state = 'open' AND q.hold_seq IS NOT NULL`;

/** Locks post and question; undefined when there is no such question. */
export async function lockQuestion(db: Db, postId: string): Promise<LockedQuestion | undefined> {
  return (await db.query<LockedQuestion>(LOCK, [postId]))[0];
}

export async function answersTo(db: Db, postId: string): Promise<AnswerWithTime[]> {
  return db.query<AnswerWithTime>(ANSWERS, [postId]);
}

/** The author of a visible reply to this question, locked; undefined when there is none. */
export async function lockAnswer(db: Db, postId: string, replyId: string) {
  return (await db.query<{ author_id: string; suspended: boolean }>(LOCK_ANSWER, [postId, replyId]))[0];
}

export async function resolveQuestion(
  db: Db,
  postId: string,
  outcome: { state: QuestionState; solvingReplyId: string | null; at: Date },
): Promise<void> {
  await db.query(RESOLVE, [postId, outcome.state, outcome.solvingReplyId, outcome.at]);
}

/** Open public questions that nobody else has answered, oldest first. */
export async function unansweredAfter(db: Db, afterPostId: string, limit: number): Promise<PostRow[]> {
  return db.query<PostRow>(UNANSWERED, [afterPostId, limit]);
}

/** Open questions with a bounty after an id, in order of id. */
export async function openBountiesAfter(db: Db, afterPostId: string, limit: number): Promise<string[]> {
  return (await db.query<{ post_id: string }>(OPEN_BOUNTIES, [afterPostId, limit])).map((row) => row.post_id);
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
