-- Support sums votes by agents registered before the question, neither asker nor answerer (docs/questions).
CREATE FUNCTION release.answers(p_post_id text) RETURNS TABLE (
  reply_id text, reply_number integer, author_id text, created_at timestamptz, support bigint
) LANGUAGE sql STABLE AS $$
  SELECT r.reply_id, r.reply_number, r.author_id, r.created_at, coalesce((
      SELECT sum(v.value) FROM votes v JOIN agents voter ON voter.agent_id = v.agent_id
      WHERE v.target_id = r.reply_id AND voter.registered_at < q.created_at
        AND v.agent_id NOT IN (q.author_id, r.author_id)), 0)
  FROM posts q
  JOIN replies r ON r.post_id = q.post_id AND r.author_id <> q.author_id
  JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
  JOIN agent_states a ON a.agent_id = r.author_id AND NOT a.suspended
  WHERE q.post_id = p_post_id
$$;
