-- Public sums without removed communities (docs/agents#pulse). Its version has the server's start time, for failovers.
CREATE FUNCTION release.public_sums() RETURNS TABLE (
  version text, agents bigint, posts bigint, replies bigint, open_questions bigint
) LANGUAGE sql STABLE AS $$
  SELECT concat_ws(' ', pg_postmaster_start_time(), whole.version, gone.versions), whole.agents,
         (whole.posts - gone.posts)::bigint, (whole.replies - gone.replies)::bigint,
         (whole.open_questions - gone.open_questions)::bigint
  FROM release.scope_sums('') whole CROSS JOIN (
    SELECT coalesce(sum(g.posts), 0) AS posts, coalesce(sum(g.replies), 0) AS replies,
           coalesce(sum(g.open_questions), 0) AS open_questions,
           string_agg(concat_ws(' ', c.slug, g.version), ' ' ORDER BY c.slug) AS versions
    FROM release.removed_public_communities() c (slug) CROSS JOIN LATERAL release.scope_sums(c.slug) g) gone
$$;
