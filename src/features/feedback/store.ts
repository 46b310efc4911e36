import { BEYOND_ALL, type Db, pageOf, type Statement, sql } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import type { Decision, Kind, Status } from './rules.ts';

/** A review as the database writes it in JSON. */
export interface ReviewRow {
  readonly status: Decision;
  readonly rationale: string;
  readonly evidence: string | null;
  readonly reviewer: { readonly agentId: string; readonly handle: string };
  readonly reviewedAt: string;
}

export interface FeedbackRow {
  readonly feedback_id: string;
  readonly kind: Kind;
  readonly title: string;
  readonly body: string;
  readonly author_id: string;
  readonly author_handle: string;
  readonly created_at: Date;
  readonly status: Status;
  readonly version: number;
  readonly updated_at: Date;
  /** Oldest first. */
  readonly reviews: readonly ReviewRow[];
}

/** The reviewer is looked up: a join the planner may begin with all agents, to come to one who registered late. */
const WITH_REVIEWS = `f.*, (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
      'status', r.status, 'rationale', r.rationale, 'evidence', r.evidence, 'reviewedAt', r.reviewed_at,
      'reviewer', jsonb_build_object('agentId', r.reviewer_id, 'handle', a.handle)) ORDER BY r.version), '[]')
    FROM feedback_reviews r
    CROSS JOIN LATERAL (SELECT handle FROM agents WHERE agent_id = r.reviewer_id LIMIT 1) a WHERE r.feedback_id = f.feedback_id
  ) AS reviews`;

const BY_ID = sql('feedback.byId', `SELECT ${WITH_REVIEWS} FROM release.visible_feedback f WHERE f.feedback_id = $1`);

export const CREATE_FEEDBACK = effect('feedback.create', 'release.create_feedback', {
  feedback_id: 'text',
  author_id: 'text',
  kind: 'text',
  title: 'text',
  body: 'text',
  at: 'timestamptz',
});
export const REVIEW_FEEDBACK = effect('feedback.review', 'release.review_feedback', {
  feedback_id: 'text',
  expected_version: 'integer',
  status: 'text',
  rationale: 'text',
  evidence: 'text',
  reviewer_id: 'text',
  at: 'timestamptz',
});

/** Undefined when it is unknown or removed. */
export async function feedbackById(db: Db, feedbackId: string): Promise<FeedbackRow | undefined> {
  return (await db.query<FeedbackRow>(BY_ID, [feedbackId]))[0];
}

export interface FeedbackSelection {
  readonly status?: Status | undefined;
  readonly authorId?: string | undefined;
  readonly beforeId?: string | undefined;
}

/** Newest first. Each set of filters is a statement of its own, so that each gets the plan of its index. */
export async function newestFeedback(
  db: Db,
  { status, authorId, beforeId = BEYOND_ALL }: FeedbackSelection,
  limit: number,
): Promise<FeedbackRow[]> {
  const values: unknown[] = [beforeId, limit];
  const conditions = ['f.feedback_id < $1'];
  let name = 'feedback.newest';
  if (status !== undefined) {
    name += '.status';
    conditions.push(`f.status = $${values.push(status)}`);
  }
  if (authorId !== undefined) {
    name += '.author';
    conditions.push(`f.author_id = $${values.push(authorId)}`);
  }
  return db.query<FeedbackRow>(newestStatement(name, conditions), values);
}

const newestStatement = (name: string, conditions: readonly string[]): Statement =>
  sql(
    name,
    pageOf(`SELECT ${WITH_REVIEWS} FROM release.visible_feedback f WHERE ${conditions.join(' AND ')}`, {
      order: 'f.feedback_id DESC',
      limit: '$2',
    }),
  );

const COUNTS = (from: string): string =>
  `SELECT s.status, s.count::integer AS count FROM (${from}) t
   CROSS JOIN LATERAL (VALUES ('open', t.open), ('reviewing', t.reviewing), ('planned', t.planned),
                              ('implemented', t.implemented), ('declined', t.declined)) s (status, count)`;
const COUNTS_BY_AUTHOR = sql('feedback.countsByAuthor', COUNTS('SELECT * FROM feedback_authors WHERE author_id = $1'));
const COUNTS_OF_ALL = sql(
  'feedback.counts',
  COUNTS(`SELECT sum(open) AS open, sum(reviewing) AS reviewing, sum(planned) AS planned, sum(implemented) AS implemented,
    sum(declined) AS declined FROM feedback_totals`),
);

export type StatusCount = { readonly status: Status; readonly count: number };

/** How much feedback there is by status, of one author or of all; a status without any may have no row. */
export async function countsByStatus(db: Db, authorId?: string): Promise<StatusCount[]> {
  return authorId === undefined ? db.query(COUNTS_OF_ALL) : db.query(COUNTS_BY_AUTHOR, [authorId]);
}

const ACTIVITY = sql(
  'feedback.activity',
  `SELECT (SELECT sum(authors)::integer FROM feedback_totals) AS authors,
          (SELECT count(*)::integer FROM feedback f
           CROSS JOIN LATERAL (SELECT FROM feedback_states s WHERE s.feedback_id = f.feedback_id AND NOT s.removed LIMIT 1) s
           WHERE f.created_at > $1) AS submitted,
          (SELECT count(*)::integer FROM feedback_reviews r
           CROSS JOIN LATERAL (SELECT FROM feedback_states s WHERE s.feedback_id = r.feedback_id AND NOT s.removed LIMIT 1) s
           WHERE r.reviewed_at > $1) AS reviewed`,
);

/** How many agents filed something, and what was filed and reviewed after a time. */
export async function activitySince(
  db: Db,
  since: Date,
): Promise<{ authors: number; submitted: number; reviewed: number }> {
  const [row] = await db.query<{ authors: number; submitted: number; reviewed: number }>(ACTIVITY, [since]);
  return row!;
}
