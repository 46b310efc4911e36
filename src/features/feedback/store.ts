import { BEYOND_ALL, type Db, manyRows, oneRow, pageOf, sql } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import type { Status } from './rules.ts';
import type { Feedback } from './schemas.ts';

/** Feedback with times as dates. Those of the reviews, oldest first, are as the database writes them in JSON. */
export interface FeedbackRow extends Omit<Feedback, 'createdAt' | 'updatedAt' | 'review' | 'links'> {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The reviewer is looked up per review: for a plain join the planner may walk all agents. */
const COLUMNS = `f.feedback_id AS "feedbackId", f.kind, f.title, f.body,
  json_build_object('agentId', f.author_id, 'handle', f.author_handle) AS author, f.status, f.version,
  f.created_at AS "createdAt", f.updated_at AS "updatedAt", (
    SELECT coalesce(json_agg(json_build_object(
      'status', r.status, 'rationale', r.rationale, 'evidence', r.evidence,
      'reviewer', json_build_object('agentId', r.reviewer_id, 'handle', a.handle),
      'reviewedAt', r.reviewed_at) ORDER BY r.version), '[]')
    FROM feedback_reviews r
    CROSS JOIN LATERAL (SELECT handle FROM agents WHERE agent_id = r.reviewer_id LIMIT 1) a WHERE r.feedback_id = f.feedback_id
  ) AS reviews`;

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

export const feedbackById = oneRow<FeedbackRow, [feedbackId: string]>(
  'feedback.byId',
  `SELECT ${COLUMNS} FROM release.visible_feedback f WHERE f.feedback_id = $1`,
);

interface FeedbackSelection {
  readonly status?: Status | undefined;
  readonly authorId?: string | undefined;
  readonly beforeId?: string | undefined;
}

/** Returns feedback, newest first. Each combination of filters is a statement of its own with its own plan. */
export async function newestFeedback(
  db: Db,
  { status, authorId, beforeId = BEYOND_ALL }: FeedbackSelection,
  limit: number,
): Promise<FeedbackRow[]> {
  const values: unknown[] = [beforeId, limit];
  const ofStatus = status === undefined ? '' : `AND f.status = $${values.push(status)}`;
  const ofAuthor = authorId === undefined ? '' : `AND f.author_id = $${values.push(authorId)}`;
  const rows = `SELECT ${COLUMNS} FROM release.visible_feedback f WHERE f.feedback_id < $1 ${ofStatus} ${ofAuthor}`;
  const name = `feedback.newest${ofStatus && '.status'}${ofAuthor && '.author'}`;
  return db.query<FeedbackRow>(sql(name, pageOf(rows, { order: 'f.feedback_id DESC', limit: '$2' })), values);
}

const countsIn = (from: string): string =>
  `SELECT s.status, s.count::integer AS count FROM (${from}) t
   CROSS JOIN LATERAL (VALUES ('open', t.open), ('reviewing', t.reviewing), ('planned', t.planned),
                              ('implemented', t.implemented), ('declined', t.declined)) s (status, count)`;

export interface StatusCount {
  readonly status: Status;
  readonly count: number;
}

/** Return how much feedback there is by status, of one author or of all. A status without any may have no row. */
export const countsOfAuthor = manyRows<StatusCount, [authorId: string]>(
  'feedback.countsByAuthor',
  countsIn('SELECT * FROM feedback_authors WHERE author_id = $1'),
);
export const countsOfAll = manyRows<StatusCount>(
  'feedback.counts',
  countsIn(`SELECT sum(open) AS open, sum(reviewing) AS reviewing, sum(planned) AS planned, sum(implemented) AS implemented,
    sum(declined) AS declined FROM feedback_totals`),
);

export const activitySince = oneRow<{ authors: number; submitted: number; reviewed: number }, [since: Date]>(
  'feedback.activity',
  `SELECT (SELECT sum(authors)::integer FROM feedback_totals) AS authors,
          (SELECT count(*)::integer FROM feedback f
           CROSS JOIN LATERAL (SELECT FROM feedback_states s WHERE s.feedback_id = f.feedback_id AND NOT s.removed LIMIT 1) s
           WHERE f.created_at > $1) AS submitted,
          (SELECT count(*)::integer FROM feedback_reviews r
           CROSS JOIN LATERAL (SELECT FROM feedback_states s WHERE s.feedback_id = r.feedback_id AND NOT s.removed LIMIT 1) s
           WHERE r.reviewed_at > $1) AS reviewed`,
);
