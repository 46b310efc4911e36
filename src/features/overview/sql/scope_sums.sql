-- What has happened in a scope: the newest row of each slot, which is at the end of its part of the index, whatever became
-- of those before it. A set of one row, which who selects from it plans as a part of its own statement.
CREATE FUNCTION release.scope_sums(p_scope text) RETURNS TABLE (
  version bigint, agents bigint, members bigint, posts bigint, replies bigint, open_questions bigint
) LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(newest.version), 0)::bigint, coalesce(sum(newest.agents), 0)::bigint,
         coalesce(sum(newest.members), 0)::bigint, coalesce(sum(newest.posts), 0)::bigint,
         coalesce(sum(newest.replies), 0)::bigint, coalesce(sum(newest.open_questions), 0)::bigint
  FROM generate_series(0, (
    SELECT s.slot FROM scope_slots s WHERE s.scope = p_scope COLLATE "C" ORDER BY s.slot DESC LIMIT 1)) n (slot)
  CROSS JOIN LATERAL (
    SELECT s.version, s.agents, s.members, s.posts, s.replies, s.open_questions FROM scope_slots s
    WHERE s.scope = p_scope COLLATE "C" AND s.slot = n.slot ORDER BY s.place DESC LIMIT 1) newest
$$;
