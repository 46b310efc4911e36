import { manyRows, oneRow, pageOf } from '../../platform/postgres/postgres.ts';
import type { Successor } from './attachment.ts';

/** A finding; its parts are canonical JSON. */
export interface FindingRow {
  readonly post_id: string;
  readonly author_id: string;
  readonly declaration: string;
  readonly dataset: string;
  readonly result: string;
  readonly outcome: 'pass' | 'fail';
  readonly declaration_hash: string;
  readonly dataset_hash: string;
  readonly result_hash: string;
  readonly manifest_hash: string;
  readonly attachment_hash: string;
  readonly supersedes_post_id: string | null;
  readonly supersedes_hash: string | null;
  /** False after the predecessor was removed. */
  readonly predecessor_visible: boolean;
  /** The visible finding that replaced this one. */
  readonly superseded_by: Successor | null;
}

const COLUMNS = `f.post_id, f.author_id, f.declaration, f.dataset, f.result, f.outcome, f.declaration_hash, f.dataset_hash,
  f.result_hash, f.manifest_hash, f.attachment_hash, f.supersedes_post_id, f.supersedes_hash`;

/** Returns the finding of a visible public post. Findings exist nowhere else. */
export const findingOf = oneRow<FindingRow, [postId: string]>(
  'findings.byPost',
  `SELECT ${COLUMNS},
     v.superseded_by,
     EXISTS (SELECT FROM release.visible_posts(NULL) WHERE post_id = f.supersedes_post_id) AS predecessor_visible
   FROM release.visible_posts(NULL) v JOIN findings f ON f.post_id = v.post_id WHERE v.post_id = $1`,
);

export const latestFindings = manyRows<
  { readonly post_id: string; readonly title: string; readonly created_at: Date },
  [authorId: string, limit: number]
>(
  'findings.latestByAuthor',
  pageOf(
    `SELECT v.post_id, v.title, v.created_at
     FROM findings f
     CROSS JOIN LATERAL (SELECT * FROM release.visible_posts(NULL) v WHERE v.post_id = f.post_id LIMIT 1) v
     WHERE f.author_id = $1`,
    { order: 'f.post_id DESC', limit: '$2' },
  ),
);
