-- A composite type: RETURNS TABLE would lose the collation of slug, and with it the index.
CREATE TYPE release.visible_community AS (
  slug text COLLATE "C", community_number bigint, display_name text, description text, encrypted boolean,
  created_by text,
  created_by_handle text, created_at timestamptz, member_count bigint, post_count bigint, is_member boolean
);
