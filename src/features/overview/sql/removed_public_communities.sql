CREATE FUNCTION release.removed_public_communities() RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT s.slug FROM community_states s JOIN communities c ON c.slug = s.slug AND NOT c.encrypted WHERE s.removed
$$;
