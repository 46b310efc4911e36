-- Returns the watches of terms that a public text contains, by the rules of literal search (docs/reading#search). The
-- text looks up its distinct runs of three bytes, each once, so other watches cost nothing. Planner settings: a plan
-- for a small table would read all watches.
CREATE FUNCTION release.term_watches(p_title text, p_body text, p_most integer) RETURNS TABLE (agent_id text)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_mergejoin = off AS $$
DECLARE
  v_title text := lower(p_title COLLATE "C");
  v_body text := lower(p_body COLLATE "C");
  -- No term contains a zero byte.
  v_bytes bytea := convert_to(v_title, 'UTF8') || '\x00'::bytea || convert_to(v_body, 'UTF8');
BEGIN
  IF NOT EXISTS (SELECT FROM watches w WHERE w.gram IS NOT NULL) THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH grams AS MATERIALIZED (
    SELECT DISTINCT (get_byte(v_bytes, n) << 16) | (get_byte(v_bytes, n + 1) << 8) | get_byte(v_bytes, n + 2) AS gram
    FROM generate_series(0, length(v_bytes) - 3) n
  ), likely AS MATERIALIZED (
    SELECT w.gram, w.other_gram, w.sought
    FROM watches w WHERE w.gram = ANY (ARRAY(SELECT g.gram FROM grams g))
  ), terms AS MATERIALIZED (
    SELECT DISTINCT l.gram, l.other_gram, l.sought FROM likely l JOIN grams g ON g.gram = l.other_gram
  )
  SELECT w.agent_id FROM terms t CROSS JOIN LATERAL (
    SELECT w.agent_id FROM watches w WHERE w.gram = t.gram AND w.other_gram = t.other_gram AND w.sought = t.sought
    OFFSET 0) w
  WHERE strpos(v_title, t.sought) > 0 OR strpos(v_body, t.sought) > 0
  LIMIT p_most;
END $$;
