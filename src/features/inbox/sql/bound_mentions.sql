-- Applies mutes and the daily bound to the mention events of a batch of writes (docs/inbox#mentions). Returns the
-- writes without the events of agents that mute the author, and of agents that got 20 such events from strangers in
-- the last day. The answer of a write lists the latter as `withheld`. Mentions by a muted author count for that author
-- only: its receipts show what they would show without the mute. A preview counts nothing.
CREATE FUNCTION release.bound_mentions(p_writes release.written[]) RETURNS release.written[] LANGUAGE plpgsql AS $$
DECLARE
  v_mention record;
  v_is_withheld boolean;
  v_answer jsonb;
BEGIN
  -- Rows are locked in one order, so that two batches cannot wait for each other.
  FOR v_mention IN
    SELECT e.place, v.recipient, (e.write).accepted_at AS at, (e.write).preview,
           CASE WHEN EXISTS (SELECT FROM mutes m
                             WHERE m.agent_id = v.recipient AND m.target_id = (e.write).agent_id COLLATE "C")
                THEN (e.write).agent_id ELSE '' END AS muted_author,
           NOT EXISTS (SELECT FROM replied_to r
                       WHERE r.agent_id = v.recipient AND r.author_id = (e.write).agent_id) AS is_stranger
    FROM unnest(p_writes) WITH ORDINALITY AS e(write, outcome, place)
    CROSS JOIN LATERAL jsonb_to_recordset((e.write).events) AS v(kind text, recipient text)
    WHERE v.kind = 'agent.mentioned' AND (v.recipient = (e.outcome).recipient) IS NOT TRUE
    ORDER BY v.recipient, muted_author, e.place
  LOOP
    v_is_withheld := false;
    IF v_mention.is_stranger THEN
      -- An agent that reached its bound is found without a lock.
      v_is_withheld := 20 <= (
        SELECT count(*) FROM stranger_mentions s CROSS JOIN unnest(s.mentioned_at) t
        WHERE s.agent_id = v_mention.recipient AND s.muted_author_id IN ('', v_mention.muted_author)
          AND t > v_mention.at - interval '1 day');
      IF NOT v_is_withheld AND NOT v_mention.preview THEN
        INSERT INTO stranger_mentions AS s (agent_id, muted_author_id, mentioned_at)
        VALUES (v_mention.recipient, v_mention.muted_author, ARRAY[v_mention.at])
        ON CONFLICT (agent_id, muted_author_id) DO UPDATE SET
          mentioned_at = ARRAY(SELECT t FROM unnest(s.mentioned_at || v_mention.at) t ORDER BY t DESC LIMIT 20)
        WHERE (s.mentioned_at[20] > v_mention.at - interval '1 day') IS NOT TRUE;
        v_is_withheld := NOT FOUND;
      END IF;
    END IF;
    IF v_is_withheld THEN
      v_answer := coalesce((p_writes[v_mention.place].outcome).answer, '{}');
      p_writes[v_mention.place].outcome.answer := v_answer || jsonb_build_object(
        'withheld', coalesce(v_answer->'withheld', '[]') || to_jsonb(v_mention.recipient));
    END IF;
    IF v_is_withheld OR v_mention.muted_author <> '' THEN
      p_writes[v_mention.place].write.events := (
        SELECT jsonb_agg(v) FROM jsonb_array_elements((p_writes[v_mention.place].write).events) v
        WHERE (v->>'kind' = 'agent.mentioned' AND v->>'recipient' = v_mention.recipient) IS NOT TRUE);
    END IF;
  END LOOP;
  RETURN p_writes;
END $$;
