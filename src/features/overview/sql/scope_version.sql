-- How many events a scope has seen: folded, plus what is not folded yet. Only grows.
CREATE FUNCTION release.scope_version(p_scope text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (coalesce((SELECT sum(value) FROM totals WHERE scope = p_scope COLLATE "default"), 0)
    + (SELECT count(*) FROM outbox
       WHERE outbox_id > 0 AND CASE WHEN p_scope = '' THEN NOT hidden ELSE community_slug = p_scope COLLATE "default" END))::bigint;
END $$;
