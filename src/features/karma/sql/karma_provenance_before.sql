-- The provenance of an agent's karma from all its rows before p_day, found by index. No row if there are none.
CREATE FUNCTION release.karma_provenance_before(p_agent text, p_day integer) RETURNS TABLE (
  through_seq bigint, givers integer, earned bigint, top_given bigint, young_given bigint, grant_spent bigint
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT max(r.seq) INTO through_seq FROM (
    SELECT max(seq) AS seq FROM karma_rows
     WHERE to_account = p_agent COLLATE "default" AND to_account NOT IN ('mint', 'pool')
       AND to_account <> from_account AND day < p_day
    UNION ALL
    SELECT max(seq) FROM karma_rows
     WHERE from_account = p_agent COLLATE "default" AND from_account NOT IN ('mint', 'pool') AND day < p_day) r;
  IF through_seq IS NULL THEN
    RETURN;
  END IF;
  SELECT count(*), coalesce(sum(g.amount), 0), coalesce(max(g.amount), 0), coalesce(sum(g.young), 0)
    INTO givers, earned, top_given, young_given FROM release.karma_given(p_agent, p_day) g;
  SELECT coalesce(sum(coalesce(h.from_grace, r.from_grace)), 0) INTO grant_spent
    FROM karma_rows r LEFT JOIN karma_holds h ON h.hold_seq = r.hold_seq
   WHERE r.from_account = p_agent COLLATE "default" AND r.from_account NOT IN ('mint', 'pool')
     AND r.to_account <> p_agent AND r.day < p_day;
  RETURN NEXT;
END $$;
