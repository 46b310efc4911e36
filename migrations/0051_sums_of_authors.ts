import type { Knex } from 'knex';

/** Beside the service at work: columns and the trigger one by one, then rows in slices, each a transaction of its own. */
export const config = { transaction: false };

/**
 * What an author has in all communities together stands in the row of the timeline, so that nobody adds up as many rows as
 * there are communities; what is in removed ones is taken off by whoever reads. Null in rows that are not filled yet.
 */
const COLUMNS = `
ALTER TABLE author_counts ADD COLUMN IF NOT EXISTS community_posts integer,
  ADD COLUMN IF NOT EXISTS community_findings integer`;

/** The sums follow the rows, whichever release writes these. Who makes the author's row of the timeline adds up what is there. */
const FOLLOWED = `
CREATE OR REPLACE FUNCTION sum_author_counts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_posts integer := NEW.posts - coalesce(OLD.posts, 0);
  v_findings integer := NEW.findings - coalesce(OLD.findings, 0);
BEGIN
  UPDATE author_counts SET community_posts = community_posts + v_posts, community_findings = community_findings + v_findings
  WHERE author_id = NEW.author_id AND community_slug = '';
  IF NOT FOUND THEN
    INSERT INTO author_counts AS c (author_id, community_slug, posts, findings, community_posts, community_findings)
    SELECT NEW.author_id, '', 0, 0, sum(posts), sum(findings) FROM author_counts
    WHERE author_id = NEW.author_id AND community_slug <> ''
    ON CONFLICT (author_id, community_slug) DO UPDATE SET community_posts = c.community_posts + v_posts,
      community_findings = c.community_findings + v_findings;
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER author_counts_summed AFTER INSERT OR UPDATE OF posts, findings ON author_counts FOR EACH ROW
WHEN (NEW.community_slug <> '') EXECUTE FUNCTION sum_author_counts()`;

/** Who writes of an author meanwhile comes to the same row afterwards, and adds to it; hence it is locked first, then summed. */
const FILLED = `
DO $$
DECLARE
  v_after text := '';
  v_authors text[];
BEGIN
  LOOP
    SELECT array_agg(author_id ORDER BY author_id) INTO v_authors FROM (
      SELECT DISTINCT author_id FROM author_counts WHERE author_id > v_after ORDER BY author_id LIMIT 1000) slice;
    EXIT WHEN v_authors IS NULL;
    v_after := v_authors[cardinality(v_authors)];
    INSERT INTO author_counts (author_id, community_slug, posts, findings)
    SELECT author_id, '', 0, 0 FROM unnest(v_authors) author_id ON CONFLICT DO NOTHING;
    PERFORM FROM author_counts WHERE author_id = ANY (v_authors) AND community_slug = '' AND community_posts IS NULL
    ORDER BY author_id FOR UPDATE;
    UPDATE author_counts c SET community_posts = s.posts, community_findings = s.findings
    FROM unnest(v_authors) a CROSS JOIN LATERAL (
      SELECT coalesce(sum(posts), 0) AS posts, coalesce(sum(findings), 0) AS findings FROM author_counts
      WHERE author_id = a AND community_slug <> '') s
    WHERE c.author_id = a AND c.community_slug = '' AND c.community_posts IS NULL;
    COMMIT;
  END LOOP;
END $$`;

/** From then on a row of the timeline is an author's first. */
const BEGUN_AT_NOTHING =
  'ALTER TABLE author_counts ALTER COLUMN community_posts SET DEFAULT 0, ALTER COLUMN community_findings SET DEFAULT 0';

export async function up(knex: Knex): Promise<void> {
  // Those that were made while the first filling went on are filled by the second.
  for (const text of [COLUMNS, FOLLOWED, FILLED, BEGUN_AT_NOTHING, FILLED]) await knex.raw(text);
}
