-- Returns the sums of the last 24 hours, to the minute (docs/agents#pulse): registrations, votes, and public posts and
-- replies.
CREATE FUNCTION release.recent_totals(
  p_at timestamptz, OUT agents bigint, OUT posts bigint, OUT replies bigint, OUT votes bigint
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_minute bigint := release.minute_of(p_at) - 1440;
BEGIN
  SELECT whole.agents, whole.posts - gone.posts, whole.replies - gone.replies, whole.votes
  INTO agents, posts, replies, votes
  FROM release.sums_since('', v_minute) whole CROSS JOIN (
    SELECT coalesce(sum(g.posts), 0) AS posts, coalesce(sum(g.replies), 0) AS replies
    FROM release.removed_public_communities() c (slug) CROSS JOIN LATERAL release.sums_since(c.slug, v_minute) g) gone;
END $$;
