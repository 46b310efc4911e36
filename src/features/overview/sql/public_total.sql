-- How many of them the public sees: nothing in encrypted communities, nor what stands in removed ones.
CREATE FUNCTION release.public_total(p_noun text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN release.standing_total(p_noun, '') - coalesce((
    SELECT sum(release.standing_total(p_noun, s.slug))::bigint
    FROM community_states s JOIN communities c ON c.slug = s.slug AND NOT c.encrypted WHERE s.removed), 0);
END $$;
