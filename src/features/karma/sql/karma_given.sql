-- What other agents gave an agent before p_day, without decay: votes, bounties, and the stakes that they lost to it
-- (docs/karma#where-karma-came-from). A reversal counts with the vote that it reverses. Givers with nothing left are
-- omitted.
CREATE FUNCTION release.karma_given(p_agent text, p_day integer)
RETURNS TABLE (giver_id text, amount bigint, young bigint) LANGUAGE sql STABLE AS $$
  WITH received AS (
    SELECT seq, type, from_account, reference, voter_id, r.amount, at FROM karma_rows r
     WHERE to_account = p_agent AND to_account NOT IN ('mint', 'pool') AND to_account <> from_account AND day < p_day
       AND type IN ('vote_up', 'vote_reversal', 'bounty_award', 'stake_payout')
  ), given AS (
    SELECT v.voter_id AS giver_id, v.amount::numeric,
           CASE WHEN v.type = 'vote_reversal'
                THEN coalesce(lag(v.at) OVER (PARTITION BY v.voter_id, v.reference ORDER BY v.seq), v.at)
                ELSE v.at END AS given_at
      FROM (SELECT seq, type, reference, voter_id, r.amount, at FROM received r WHERE voter_id IS NOT NULL
            UNION ALL
            SELECT seq, type, reference, voter_id, -r.amount, at FROM karma_rows r
             WHERE from_account = p_agent AND from_account NOT IN ('mint', 'pool') AND voter_id IS NOT NULL
               AND day < p_day) v
    UNION ALL
    SELECT from_account, r.amount, at FROM received r WHERE type = 'bounty_award'
    UNION ALL
    SELECT lost.agent_id, div(r.amount * lost.amount, sum(lost.amount) OVER (PARTITION BY r.seq)), r.at
      FROM received r
      CROSS JOIN LATERAL (
        SELECT h.agent_id, sum(h.amount) AS amount
          FROM challenge_stakes s
          JOIN karma_holds h ON h.hold_seq = s.hold_seq
          JOIN karma_rows f ON f.seq = h.resolved_seq AND f.type = 'stake_forfeit'
         WHERE s.challenge_id = r.reference GROUP BY h.agent_id) lost
     WHERE r.type = 'stake_payout')
  SELECT g.giver_id, sum(g.amount)::bigint,
         greatest(0, least(sum(g.amount), coalesce(
           sum(g.amount) FILTER (WHERE a.registered_at > g.given_at - interval '7 days'), 0)))::bigint
    FROM given g LEFT JOIN agents a ON a.agent_id = g.giver_id
   WHERE g.giver_id <> p_agent GROUP BY g.giver_id HAVING sum(g.amount) > 0
$$;
