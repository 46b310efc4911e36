-- An encrypted community exists for its members only (docs/communities#encrypted-communities). Null: anonymous.
CREATE FUNCTION release.visible_communities(p_caller text) RETURNS SETOF release.visible_community
  LANGUAGE sql STABLE AS $$
  SELECT c.slug, c.community_number, c.display_name, c.description, c.encrypted, c.created_by,
         (SELECT a.handle FROM agents a WHERE a.agent_id = c.created_by), c.created_at,
         n.members, n.posts, release.is_member(p_caller, c.slug)
  FROM communities c
  JOIN community_states s ON s.slug = c.slug AND NOT s.removed
  CROSS JOIN LATERAL release.scope_sums(c.slug) n
  WHERE NOT c.encrypted OR release.is_member(p_caller, c.slug)
$$;
