-- The provenance that reads show at p_at (docs/karma#where-karma-came-from). It depends only on rows of earlier UTC
-- days, so no read reveals the effect of a vote of today. The givers of a new day appear p_settled after midnight, when
-- every write of the day before is committed. Stores nothing: without a stored row it computes one. A balance that was
-- stored for this day spares adding up the rows of the day.
CREATE FUNCTION release.karma_provenance_at(p_agent text, p_at timestamptz, p_settled interval) RETURNS TABLE (
  givers integer, earned bigint, top_given bigint, young_given bigint, from_grant bigint, balance bigint
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  f record;
  s public.karma_provenance;
  t record;
  v_through bigint;
BEGIN
  SELECT * INTO f FROM release.karma_figures(p_agent, p_at);
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO s FROM karma_provenance k WHERE k.agent_id = p_agent;
  IF s.start_day = f.day AND s.start_seq = s.through_seq THEN
    balance := s.start_balance;
    from_grant := least(balance, release.karma_decay(f.grant_amount - s.grant_spent, f.day - f.grace_day));
    givers := s.givers;
    earned := s.earned;
    top_given := s.top_given;
    young_given := s.young_given;
    RETURN NEXT;
    RETURN;
  END IF;
  v_through := coalesce(s.through_seq, 0);
  -- Rows after the stored ones: those of today are undone, those of earlier days may have spent more of the grant.
  SELECT coalesce(sum(CASE WHEN r.day < f.day OR r.type = 'registration_grant' THEN 0
                           WHEN r.to_account = p_agent THEN -r.amount
                           WHEN r.to_account = 'mint' THEN r.amount
                           ELSE (SELECT p.to_grace + p.to_main
                                   FROM release.karma_release_parts(h, f.grace_day, f.day) p)
                      END), 0)::bigint AS undone,
         coalesce(sum(coalesce(h.from_grace, r.from_grace))
           FILTER (WHERE r.day < f.day AND r.to_account <> p_agent), 0)::bigint AS spent,
         coalesce(bool_or(r.day < release.karma_day(p_at - p_settled)), false) AS is_stale
    INTO t
    FROM (SELECT seq, type, from_account, to_account, amount, day, from_grace, hold_seq FROM karma_rows
           WHERE to_account = p_agent AND to_account NOT IN ('mint', 'pool') AND to_account <> from_account
             AND seq > v_through
          UNION ALL
          SELECT seq, type, from_account, to_account, amount, day, from_grace, hold_seq FROM karma_rows
           WHERE from_account = p_agent AND from_account NOT IN ('mint', 'pool') AND to_account <> from_account
             AND seq > v_through) r
    LEFT JOIN karma_holds h ON h.hold_seq = r.hold_seq;
  IF t.is_stale THEN
    SELECT k.givers, k.earned, k.top_given, k.young_given INTO s.givers, s.earned, s.top_given, s.young_given
      FROM release.karma_provenance_before(p_agent, release.karma_day(p_at - p_settled)) k;
  END IF;
  balance := f.grace + f.main + f.escrowed_grace + f.escrowed_main + t.undone;
  from_grant := least(balance, release.karma_decay(
    f.grant_amount - coalesce(s.grant_spent, 0) - t.spent, f.day - f.grace_day));
  givers := coalesce(s.givers, 0);
  earned := coalesce(s.earned, 0);
  top_given := coalesce(s.top_given, 0);
  young_given := coalesce(s.young_given, 0);
  RETURN NEXT;
END $$;
