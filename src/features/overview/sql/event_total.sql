-- Of the outbox, by its index: what was delivered is dead there as soon as one reader has seen it, where a scan of the
-- table looks at every dead row and every empty page again until they are cleaned away.
CREATE FUNCTION release.event_total(p_kind text, p_scope text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((SELECT value FROM totals
                   WHERE scope = p_scope COLLATE "default" AND kind = p_kind COLLATE "default"), 0)
    + (SELECT count(*) FROM outbox
       WHERE outbox_id > 0 AND kind = p_kind COLLATE "default"
         AND CASE WHEN p_scope = '' THEN NOT hidden ELSE community_slug = p_scope COLLATE "default" END);
END $$;
