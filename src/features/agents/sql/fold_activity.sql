-- Notes when agents wrote last, from the next p_leaves leaves of the log. Returns how many leaves it read. Writes of
-- the operation p_except are not activity. A time that is less than a minute newer is not stored, which saves most
-- updates.
CREATE FUNCTION release.fold_activity(p_leaves integer, p_except text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_from bigint;
  v_read integer;
BEGIN
  SELECT next_leaf INTO v_from FROM activity_fold FOR UPDATE;
  SELECT count(*) INTO v_read FROM log_leaves WHERE leaf_index >= v_from AND leaf_index < v_from + p_leaves;
  IF v_read = 0 THEN
    RETURN 0;
  END IF;
  INSERT INTO agent_activity AS a (agent_id, last_write_at)
  SELECT e.agent_id, max(e.accepted_at)
  FROM log_leaves l
  JOIN write_evidence e ON e.evidence_id = l.evidence_id AND e.accepted_at = l.accepted_at
  WHERE l.leaf_index >= v_from AND l.leaf_index < v_from + v_read AND e.operation <> p_except
  GROUP BY e.agent_id ORDER BY e.agent_id
  ON CONFLICT (agent_id) DO UPDATE SET last_write_at = EXCLUDED.last_write_at
  WHERE EXCLUDED.last_write_at > a.last_write_at + interval '1 minute';
  UPDATE activity_fold SET next_leaf = v_from + v_read;
  RETURN v_read;
END $$;
