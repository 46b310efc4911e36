-- Notes a change of the watches of a locked agent. AF429: it made p_most changes in the day before p_at. Older times
-- are dropped, so a row has at most p_most.
CREATE FUNCTION release.count_watch_change(p_agent_id text, p_at timestamptz, p_most integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_recent timestamptz[] := ARRAY(
    SELECT t FROM watchers w CROSS JOIN unnest(w.changed_at) t
    WHERE w.agent_id = p_agent_id AND t > p_at - interval '1 day' ORDER BY t);
BEGIN
  IF cardinality(v_recent) >= p_most THEN
    RAISE EXCEPTION USING ERRCODE = 'AF429', MESSAGE = 'too many changes in a day',
      HINT = ceil(extract(epoch FROM v_recent[1] + interval '1 day' - p_at))::text;
  END IF;
  UPDATE watchers w SET changed_at = v_recent || p_at WHERE w.agent_id = p_agent_id;
END $$;
