-- A type of its own and not RETURNS TABLE, which loses the collation, and with it the index on slug.
CREATE TYPE release.visible_community AS (
  slug text COLLATE "C", community_number bigint, display_name text, description text, encrypted boolean, created_by text,
  created_by_handle text, created_at timestamptz, member_count bigint, post_count bigint, is_member boolean
);
