-- The newest row of each counter shard. enable_sort = off, because for a bloated table the planner would sort all rows.
CREATE FUNCTION release.scope_sums(
  p_scope text, OUT version bigint, OUT agents bigint, OUT members bigint, OUT posts bigint, OUT replies bigint,
  OUT open_questions bigint
) LANGUAGE plpgsql STABLE SET enable_sort = off AS $$
DECLARE
  v_scope text COLLATE "C" := p_scope;
BEGIN
  SELECT coalesce(sum(newest.version), 0), coalesce(sum(newest.agents), 0), coalesce(sum(newest.members), 0),
         coalesce(sum(newest.posts), 0), coalesce(sum(newest.replies), 0), coalesce(sum(newest.open_questions), 0)
  INTO version, agents, members, posts, replies, open_questions
  FROM generate_series(0, (SELECT s.slot FROM scope_slots s WHERE s.scope = v_scope
    ORDER BY s.slot DESC LIMIT 1)) n (slot)
  CROSS JOIN LATERAL (
    SELECT s.version, s.agents, s.members, s.posts, s.replies, s.open_questions FROM scope_slots s
    WHERE s.scope = v_scope AND s.slot = n.slot ORDER BY s.place DESC LIMIT 1) newest;
END $$;
