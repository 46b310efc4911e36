-- What a community shows of itself, in one look.
CREATE FUNCTION release.community_counts(p_slug text, OUT member_count bigint, OUT post_count bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT coalesce(sum(value) FILTER (WHERE kind = 'community.joined'), 0),
         coalesce(sum(CASE kind WHEN 'post.removed' THEN -value ELSE value END)
           FILTER (WHERE kind IN ('post.created', 'post.removed', 'post.restored')), 0)
  INTO member_count, post_count
  FROM (SELECT kind, value FROM totals WHERE scope = p_slug COLLATE "default"
        UNION ALL
        SELECT kind, 1 FROM outbox
        WHERE outbox_id > 0 AND community_slug = p_slug COLLATE "default") events;
END $$;
