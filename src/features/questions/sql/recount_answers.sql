-- Locks some open questions in order and counts their answers again, after a change of a reply or of an agent's
-- suspension.
CREATE FUNCTION release.recount_answers(p_post_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM post_states WHERE post_id = ANY (p_post_ids) ORDER BY post_id FOR UPDATE;
  UPDATE questions q SET answer_count = (SELECT count(*) FROM release.answers(q.post_id))
  WHERE q.post_id = ANY (p_post_ids) AND q.state = 'open';
END $$;
