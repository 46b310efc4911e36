import {
  BEYOND_ALL,
  type Db,
  eitherWay,
  manyRows,
  noRows,
  type Order,
  oneRow,
  oneValue,
  pageOf,
} from '../../platform/postgres/postgres.ts';
import { callOf, effect } from '../../recording/effect.ts';
import {
  FIND_REPEATED,
  POST_PARAMETERS,
  type PostRow,
  type QuestionState,
  REPEATED_PARAMETERS,
} from '../posts/service.ts';
import type { Answer } from './rules.ts';

export interface LockedQuestion {
  readonly author_id: string;
  readonly created_at: Date;
  readonly state: QuestionState;
  readonly hold_seq: string | null;
  readonly community_slug: string | null;
  readonly hidden: boolean;
  readonly removed: boolean;
  /** Whether the caller that it was locked for may see it. */
  readonly visible: boolean;
  /** Null unless the reply is a visible reply to this question. */
  readonly answerer_id: string | null;
  readonly answerer_suspended: boolean | null;
}

/** Selects open questions that only their asker has replied to (docs/questions). */
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
const BEFORE_ALL: Readonly<Record<Order, string>> = { oldest: '', newest: BEYOND_ALL };

const QUESTION_PARAMETERS = { ...POST_PARAMETERS, bounty_stake: 'integer', bounty_micro: 'bigint' };
export const CREATE_QUESTION = effect(
  'questions.create',
  callOf('release.create_question', QUESTION_PARAMETERS),
  { ...QUESTION_PARAMETERS, ...REPEATED_PARAMETERS },
  FIND_REPEATED,
);

export const OPEN_BOUNTY_HOLDS = `SELECT q.hold_seq, p.author_id AS agent_id, q.bounty_stake::bigint * 1000000 AS amount
  FROM questions q JOIN posts p ON p.post_id = q.post_id WHERE q.state = 'open' AND q.hold_seq IS NOT NULL`;

const lock = oneRow<LockedQuestion, [callerId: string | null, postId: string, replyId: string | null]>(
  'questions.lock',
  'SELECT * FROM release.lock_question($1, $2, $3)',
);

export const lockQuestion = (
  db: Db,
  postId: string,
  { callerId = null, replyId = null }: { callerId?: string | null; replyId?: string | null } = {},
) => lock(db, callerId, postId, replyId);

/** Not those of an agent whose suspension has an end either, while it lasts. `answer_count` includes them. */
export const answersTo = manyRows<Answer & { readonly createdAtMs: number }, [postId: string]>(
  'questions.answers',
  `SELECT reply_id AS "replyId", reply_number AS "replyNumber", author_id AS "authorId", support::float8 AS support,
          (extract(epoch FROM created_at) * 1000)::float8 AS "createdAtMs"
   FROM release.answers($1) r WHERE NOT (
     SELECT release.is_suspended(s.suspended, s.suspended_until) FROM agent_states s WHERE s.agent_id = r.author_id)`,
);

export const resolveQuestion = noRows<[postId: string, state: QuestionState, solvingReplyId: string | null, at: Date]>(
  'questions.resolve',
  'UPDATE questions SET state = $2, solving_reply_id = $3, resolved_at = $4 WHERE post_id = $1',
);

export const unansweredBeyond = (
  db: Db,
  {
    order,
    postId = BEFORE_ALL[order],
    exceptAuthorId = null,
  }: { readonly order: Order; readonly postId?: string | undefined; readonly exceptAuthorId?: string | null },
  limit: number,
): Promise<PostRow[]> => db.query<PostRow>(UNANSWERED[order], [postId, limit, exceptAuthorId]);

export const unansweredIn = manyRows<PostRow, [slug: string, limit: number]>(
  'questions.unansweredIn',
  unanswered('q.community_slug = $1', '$2'),
);

/** Each costs two look-ups, so that more would take over a millisecond. */
const MOST_SOLVED = 100;

/** How many visible questions were solved by a visible reply of an agent, among the latest `MOST_SOLVED`. */
export const solvedBy = oneValue<number, [agentId: string]>(
  'questions.solvedBy',
  `SELECT count(*)::integer AS solved FROM (
     SELECT post_id, community_slug, solving_reply_id FROM questions
     WHERE solver_id = $1 ORDER BY post_id DESC LIMIT ${MOST_SOLVED}) q
   CROSS JOIN LATERAL (SELECT FROM reply_states s WHERE s.reply_id = q.solving_reply_id AND NOT s.removed LIMIT 1) a
   CROSS JOIN LATERAL (
     SELECT FROM post_states s LEFT JOIN community_states r ON r.slug = q.community_slug AND r.removed
     WHERE s.post_id = q.post_id AND release.may_see_post(
       NULL, s.removed, q.community_slug, r.slug IS NOT NULL, s.public_author_id IS NULL) LIMIT 1) v`,
);

export const openBountiesAfter = manyRows<
  { readonly post_id: string },
  [afterPostId: string, askedBy: Date, limit: number]
>(
  'questions.openBounties',
  `SELECT q.post_id FROM questions q JOIN posts p ON p.post_id = q.post_id
   WHERE q.state = 'open' AND q.hold_seq IS NOT NULL AND q.post_id > $1 AND p.created_at <= $2
   ORDER BY q.post_id LIMIT $3`,
);

export const recountAnswersByReply = noRows<[replyId: string]>(
  'questions.recountByReply',
  'SELECT release.recount_answers(ARRAY(SELECT post_id FROM replies WHERE reply_id = $1))',
);

export const recountAnswersByAgent = noRows<[agentId: string]>(
  'questions.recountByAgent',
  `SELECT release.recount_answers(ARRAY(
     SELECT DISTINCT r.post_id FROM replies r JOIN questions q ON q.post_id = r.post_id AND q.state = 'open'
     WHERE r.author_id = $1))`,
);

export const insertQuestionEvent = noRows<
  [
    eventId: string,
    kind: 'question_settled' | 'question_abandoned',
    postId: string,
    hidden: boolean,
    reason: string,
    actor: 'operator' | 'community',
    at: Date,
  ]
>(
  'questions.insertEvent',
  `INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
   VALUES ($1, $2, 'post', $3, $4, $5, $6, $7)`,
);
