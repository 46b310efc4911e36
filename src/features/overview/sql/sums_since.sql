-- Returns the writes and votes in a scope after a minute. They are the sums of each counter shard now, less those then,
-- plus corrections for removals since, by minute in the first hour and by hour afterwards. enable_sort = off as in
-- scope_sums.
CREATE FUNCTION release.sums_since(
  p_scope text, p_minute bigint, OUT agents bigint, OUT posts bigint, OUT replies bigint, OUT votes bigint
) LANGUAGE plpgsql STABLE SET enable_sort = off AS $$
DECLARE
  v_scope text COLLATE "C" := p_scope;
  v_hour bigint := p_minute / 60 + 1;
BEGIN
  SELECT coalesce(sum(grown.agents), 0), coalesce(sum(grown.posts), 0), coalesce(sum(grown.replies), 0),
         coalesce(sum(grown.votes), 0)
  INTO agents, posts, replies, votes
  FROM (
    SELECT newest.agents - coalesce(b.agents, 0) AS agents, newest.posts_written - coalesce(b.posts, 0) AS posts,
           newest.replies_written - coalesce(b.replies, 0) AS replies, newest.votes_cast - coalesce(b.votes, 0) AS votes
    FROM generate_series(0, (SELECT s.slot FROM scope_slots s WHERE s.scope = v_scope
      ORDER BY s.slot DESC LIMIT 1)) n (slot)
    CROSS JOIN LATERAL (
      SELECT s.minute, s.agents, s.posts_written, s.replies_written, s.votes_cast FROM scope_slots s
      WHERE s.scope = v_scope AND s.slot = n.slot ORDER BY s.place DESC LIMIT 1) newest
    LEFT JOIN LATERAL (
      SELECT m.agents, m.posts, m.replies, m.votes FROM slot_minutes m
      WHERE m.scope = v_scope AND m.slot = n.slot AND m.minute <= p_minute ORDER BY m.minute DESC LIMIT 1) b ON true
    WHERE newest.minute > p_minute
    UNION ALL
    SELECT c.agents, c.posts, c.replies, c.votes FROM minute_corrections c
    WHERE c.scope = v_scope AND c.minute > p_minute AND c.minute < v_hour * 60
    UNION ALL
    SELECT c.agents, c.posts, c.replies, c.votes FROM hour_corrections c WHERE c.scope = v_scope AND c.hour >= v_hour
  ) grown;
END $$;
