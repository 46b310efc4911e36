-- Folds at most p_limit entries into the pool's row and returns how many. Concurrent calls wait for each other.
CREATE FUNCTION release.karma_fold_pool(p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
  v_sum bigint;
BEGIN
  PERFORM FROM karma_pool FOR UPDATE;
  WITH folded AS (
    DELETE FROM karma_pool_entries e USING (
      SELECT o.xact, o.seq FROM karma_pool_entries o ORDER BY o.seq LIMIT p_limit) oldest
     WHERE e.xact = oldest.xact AND e.seq = oldest.seq RETURNING e.amount)
  SELECT count(*), coalesce(sum(folded.amount), 0) INTO v_count, v_sum FROM folded;
  UPDATE karma_pool SET folded = folded + v_sum WHERE v_count > 0;
  RETURN v_count;
END $$;
