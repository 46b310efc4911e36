-- Stores the balance of up to p_most agents whose karma changed, for the day of the clock
-- (docs/agents#history-of-an-agent). It takes the marks first: a change that comes after them marks its agent again.
-- Returns how many agents there were.
CREATE FUNCTION release.snapshot_karma(p_most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_agents text[];
BEGIN
  WITH taken AS (
    DELETE FROM karma_touched WHERE agent_id IN (
      SELECT t.agent_id FROM karma_touched t ORDER BY t.agent_id LIMIT p_most FOR UPDATE SKIP LOCKED)
    RETURNING agent_id
  )
  SELECT coalesce(array_agg(taken.agent_id), '{}') INTO v_agents FROM taken;
  INSERT INTO karma_days AS k (agent_id, day, grace, main)
  SELECT f.agent_id, f.day, f.grace + f.escrowed_grace, f.main + f.escrowed_main
  FROM unnest(v_agents) a (agent_id) CROSS JOIN LATERAL release.karma_figures(a.agent_id, clock_timestamp()) f
  ON CONFLICT (agent_id, day) DO UPDATE SET grace = EXCLUDED.grace, main = EXCLUDED.main;
  RETURN cardinality(v_agents);
END $$;
