-- How many posts or replies (p_noun) stand in a scope: written, less what was removed, plus what was restored.
CREATE FUNCTION release.standing_total(p_noun text, p_scope text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_created text := p_noun || '.created';
  v_removed text := p_noun || '.removed';
  v_restored text := p_noun || '.restored';
BEGIN
  RETURN (
    SELECT coalesce(sum(CASE kind WHEN v_removed THEN -value ELSE value END), 0)::bigint FROM (
      SELECT kind, value FROM totals
      WHERE scope = p_scope COLLATE "default" AND kind IN (v_created, v_removed, v_restored)
      UNION ALL
      SELECT kind, 1 FROM outbox
      WHERE outbox_id > 0 AND kind IN (v_created, v_removed, v_restored)
        AND CASE WHEN p_scope = '' THEN NOT hidden ELSE community_slug = p_scope COLLATE "default" END) events);
END $$;
