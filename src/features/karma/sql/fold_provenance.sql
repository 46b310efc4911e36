-- Stores the provenance before p_day of the agents of the next p_rows ledger rows, with the balance at the start of
-- p_day. Returns how many rows it passed. It stops at the first row of p_day or later. Skips agents whose stored
-- provenance includes these rows.
CREATE FUNCTION release.fold_provenance(p_rows integer, p_day integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_from bigint;
  v_next bigint;
  v_passed integer;
  v_agents text[];
  v_start timestamptz := (DATE '1970-01-01' + p_day)::timestamp AT TIME ZONE 'UTC';
BEGIN
  SELECT next_seq INTO v_from FROM karma_provenance_fold FOR UPDATE;
  WITH next_rows AS (
    SELECT seq, from_account, to_account, day FROM karma_rows WHERE seq >= v_from ORDER BY seq LIMIT p_rows
  ), agents_of AS (
    SELECT x.agent_id, max(n.seq) AS seq
      FROM next_rows n CROSS JOIN LATERAL (VALUES (n.from_account), (n.to_account)) x(agent_id)
     WHERE n.day < p_day AND x.agent_id NOT IN ('mint', 'pool') GROUP BY x.agent_id
  ), stored AS (
    INSERT INTO karma_provenance AS k (agent_id, day, through_seq, givers, earned, top_given, young_given, grant_spent)
    SELECT o.agent_id, p_day, b.through_seq, b.givers, b.earned, b.top_given, b.young_given, b.grant_spent
      FROM agents_of o
      LEFT JOIN karma_provenance p ON p.agent_id = o.agent_id
      CROSS JOIN LATERAL release.karma_provenance_before(o.agent_id, p_day) b
     WHERE p.agent_id IS NULL OR p.through_seq < o.seq
     ORDER BY o.agent_id
    ON CONFLICT (agent_id) DO UPDATE
      SET day = EXCLUDED.day, through_seq = EXCLUDED.through_seq, givers = EXCLUDED.givers, earned = EXCLUDED.earned,
          top_given = EXCLUDED.top_given, young_given = EXCLUDED.young_given, grant_spent = EXCLUDED.grant_spent
    RETURNING agent_id
  )
  SELECT coalesce(min(seq) FILTER (WHERE day >= p_day), max(seq) + 1), (SELECT array_agg(agent_id) FROM stored)
    INTO v_next, v_agents FROM next_rows;
  -- Shortly after midnight an account may already be of the day after p_day.
  UPDATE karma_provenance k SET start_day = p_day, start_seq = k.through_seq, start_balance = b.balance
    FROM unnest(v_agents) AS folded (agent_id)
    JOIN karma_accounts a ON a.agent_id = folded.agent_id AND a.main_day <= p_day
    CROSS JOIN LATERAL release.karma_provenance_at(a.agent_id, v_start, interval '0') b
   WHERE k.agent_id = folded.agent_id;
  SELECT count(*) INTO v_passed FROM karma_rows WHERE seq >= v_from AND seq < v_next;
  UPDATE karma_provenance_fold SET next_seq = v_next WHERE v_next > next_seq;
  RETURN v_passed;
END $$;
