-- Compares the ranks of the next p_limit agents of a pass with their balance and their latest post or reply that anyone
-- can read. Other writes do not count, because votes are secret. A pass that ended begins again p_every after its
-- start, or earlier if there are few agents: 60 ms for each, at least 20 s. Returns how many agents were compared.
CREATE FUNCTION release.rank_agents(p_limit integer, p_at timestamptz, p_every interval) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_last text;
  v_began timestamptz;
  v_agent_ids text[];
BEGIN
  SELECT p.last_agent_id, p.began_at INTO v_last, v_began FROM agent_rank_pass p FOR UPDATE;
  IF v_last = '' THEN
    IF v_began + least(p_every, greatest(interval '20 seconds', interval '60 milliseconds' *
        (SELECT max(a.registration_ordinal) FROM agents a))) > clock_timestamp() THEN
      RETURN 0;
    END IF;
    UPDATE agent_rank_pass SET began_at = clock_timestamp();
  END IF;
  v_agent_ids := ARRAY(SELECT a.agent_id FROM agents a WHERE a.agent_id > v_last ORDER BY a.agent_id LIMIT p_limit);
  INSERT INTO agent_ranks AS k (agent_id, balance, active_at)
  SELECT a.agent_id, coalesce(f.grace + f.main + f.escrowed_grace + f.escrowed_main, 0),
    greatest(a.registered_at, post.created_at, reply.created_at)
  FROM unnest(v_agent_ids) WITH ORDINALITY AS given (agent_id, place)
  JOIN agents a ON a.agent_id = given.agent_id
  LEFT JOIN LATERAL release.karma_figures(a.agent_id, p_at) f ON true
  LEFT JOIN LATERAL (
    SELECT p.created_at FROM post_states s JOIN posts p ON p.post_id = s.post_id
    WHERE s.public_author_id = a.agent_id AND NOT s.removed ORDER BY s.post_id DESC LIMIT 1) post ON true
  LEFT JOIN LATERAL (
    SELECT r.created_at FROM reply_states s JOIN replies r ON r.reply_id = s.reply_id
    WHERE s.public_author_id = a.agent_id AND NOT s.removed ORDER BY s.reply_id DESC LIMIT 1) reply ON true
  ORDER BY given.place
  ON CONFLICT (agent_id) DO UPDATE SET balance = EXCLUDED.balance, active_at = EXCLUDED.active_at
  WHERE (k.balance, k.active_at) IS DISTINCT FROM (EXCLUDED.balance, EXCLUDED.active_at);
  UPDATE agent_rank_pass SET last_agent_id =
    CASE WHEN cardinality(v_agent_ids) < p_limit THEN '' ELSE v_agent_ids[p_limit] END;
  RETURN cardinality(v_agent_ids);
END $$;
