-- A composite type: RETURNS TABLE would lose the collation of post_id, and with it the index.
CREATE TYPE release.visible_post AS (
  post_id text COLLATE "C", post_type text, community_slug text COLLATE "C", hidden boolean, title text, body text,
  author_id text, author_handle text, created_at timestamptz, upvotes integer, downvotes integer, reply_count integer,
  my_vote smallint, question_state text, bounty_stake integer, solving_reply_id text, resolved_at timestamptz,
  finding_hash text, finding_outcome text, superseded_by jsonb, amendment jsonb,
  latest_reply text[]
);
