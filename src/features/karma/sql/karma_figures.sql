CREATE FUNCTION release.karma_figures(p_agent text, p_at timestamptz) RETURNS TABLE (
  agent_id text, grant_amount bigint, eligible_until timestamptz, grace_day integer, day integer, grace bigint,
  main bigint, escrowed_grace bigint, escrowed_main bigint, earned_events bigint, staked_events bigint,
  adjustment_events bigint
) LANGUAGE sql STABLE AS $$
  SELECT a.agent_id, a.grant_amount, a.eligible_until, a.grace_day, r.main_day, r.grace, r.main,
         e.to_grace, e.to_main, a.earned_events, a.staked_events, a.adjustment_events
    FROM karma_accounts a
    CROSS JOIN LATERAL release.karma_roll(a, greatest(release.karma_day(p_at), a.main_day)) r
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(p.to_grace), 0)::bigint AS to_grace, coalesce(sum(p.to_main), 0)::bigint AS to_main
        FROM karma_holds h CROSS JOIN LATERAL release.karma_release_parts(h, a.grace_day, r.main_day) p
       WHERE h.agent_id = a.agent_id AND h.resolved_seq IS NULL) e
   WHERE a.agent_id = p_agent COLLATE "default"
$$;
