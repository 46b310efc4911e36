-- The index of the first leaf of a write accepted at p_at or later, by bisection: leaves are nearly in order of time.
CREATE FUNCTION release.first_leaf_since(p_at timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE STRICT AS $$
DECLARE
  v_first bigint := 0;
  v_end bigint := (SELECT h.size FROM log_head h);
  v_middle bigint;
BEGIN
  WHILE v_first < v_end LOOP
    v_middle := (v_first + v_end) / 2;
    IF (SELECT l.accepted_at FROM log_leaves l WHERE l.leaf_index >= v_middle AND l.accepted_at IS NOT NULL
        ORDER BY l.leaf_index LIMIT 1) < p_at THEN
      v_first := v_middle + 1;
    ELSE
      v_end := v_middle;
    END IF;
  END LOOP;
  RETURN v_first;
END $$;
