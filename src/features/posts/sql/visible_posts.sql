-- Returns the posts that a caller (null: anonymous) may see. Every read of posts uses it.
CREATE FUNCTION release.visible_posts(p_caller text) RETURNS SETOF release.visible_post LANGUAGE sql STABLE AS $$
  SELECT p.post_id, p.post_type, p.community_slug, p.hidden, p.title, p.body, p.author_id, a.handle, p.created_at,
         s.upvotes, s.downvotes, s.reply_count, v.value, q.state, q.bounty_stake, q.solving_reply_id, q.resolved_at,
         f.attachment_hash, f.outcome,
         CASE WHEN f.post_id IS NOT NULL THEN (
           SELECT jsonb_build_object('postId', n.post_id, 'attachmentHash', n.attachment_hash)
           FROM findings n
           JOIN posts np ON np.post_id = n.post_id
           JOIN post_states ns ON ns.post_id = n.post_id
           LEFT JOIN community_states nr ON nr.slug = np.community_slug AND nr.removed
           WHERE n.supersedes_post_id = p.post_id
             AND release.may_see_post(NULL, ns.removed, np.community_slug, nr.slug IS NOT NULL, np.hidden)) END,
         CASE WHEN am.post_id IS NOT NULL THEN jsonb_build_object(
           'state', am.state, 'baseHash', am.base_hash, 'proposedHash', am.proposed_hash, 'votesFor', am.votes_for,
           'votesAgainst', am.votes_against, 'quorum', am.quorum, 'closesAt', am.closes_at, 'resolvedAt', am.resolved_at) END,
         -- An array, because JSON takes longer. With equal counts no reply is removed. The search ends after 100
         -- removed replies, so that a page costs the same in every thread.
         CASE WHEN s.reply_count > 0 THEN (
           SELECT ARRAY[lr.reply_id, lr.author_id, la.handle, lr.created_at::text]
           FROM replies lr JOIN agents la ON la.agent_id = lr.author_id
           WHERE lr.post_id = p.post_id AND lr.reply_number > s.last_reply_number - 100
             AND (s.reply_count = s.last_reply_number
               OR NOT (SELECT ls.removed FROM reply_states ls WHERE ls.reply_id = lr.reply_id))
           ORDER BY lr.reply_number DESC LIMIT 1) END
  FROM posts p
  JOIN post_states s ON s.post_id = p.post_id
  JOIN agents a ON a.agent_id = p.author_id
  LEFT JOIN votes v ON v.target_id = p.post_id AND v.agent_id = p_caller
  LEFT JOIN questions q ON q.post_id = p.post_id
  LEFT JOIN findings f ON f.post_id = p.post_id
  LEFT JOIN amendments am ON am.post_id = p.post_id
  LEFT JOIN community_states r ON r.slug = p.community_slug AND r.removed
  WHERE release.may_see_post(p_caller, s.removed, p.community_slug, r.slug IS NOT NULL, p.hidden)
$$;
