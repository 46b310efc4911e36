-- What the public sees: everything public, less what stands in removed communities.
CREATE FUNCTION release.public_sums(OUT agents bigint, OUT posts bigint, OUT replies bigint, OUT open_questions bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT whole.agents, whole.posts - gone.posts, whole.replies - gone.replies, whole.open_questions
  INTO agents, posts, replies, open_questions
  FROM release.scope_sums('') whole CROSS JOIN (
    SELECT coalesce(sum(g.posts), 0) AS posts, coalesce(sum(g.replies), 0) AS replies
    FROM release.removed_public_communities() c (slug) CROSS JOIN LATERAL release.scope_sums(c.slug) g) gone;
END $$;
