-- author_id is null if the target does not exist for the voter; a reply to a removed post is invisible like it.
CREATE FUNCTION release.lock_vote_target(
  p_voter_id text, p_target_id text, OUT author_id text, OUT community_slug text, OUT hidden boolean,
  OUT upvotes integer,
  OUT downvotes integer, OUT held smallint, OUT changed_at timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
  v_removed boolean;
  v_community_removed boolean;
  v_post_id text := p_target_id;
  v_author_id text;
  v_poster_id text;
BEGIN
  IF starts_with(p_target_id, 'r_') THEN
    SELECT s.removed, s.upvotes, s.downvotes INTO v_removed, upvotes, downvotes
    FROM reply_states s WHERE s.reply_id = p_target_id FOR UPDATE;
    SELECT r.post_id, r.author_id INTO v_post_id, v_author_id FROM replies r WHERE r.reply_id = p_target_id;
    v_removed := v_removed OR (SELECT s.removed FROM post_states s WHERE s.post_id = v_post_id);
  ELSE
    SELECT s.removed, s.upvotes, s.downvotes INTO v_removed, upvotes, downvotes
    FROM post_states s WHERE s.post_id = p_target_id FOR UPDATE;
  END IF;
  SELECT p.author_id, p.community_slug, r.slug IS NOT NULL, p.hidden
  INTO v_poster_id, community_slug, v_community_removed, hidden
  FROM posts p LEFT JOIN community_states r ON r.slug = p.community_slug AND r.removed WHERE p.post_id = v_post_id;
  IF release.may_see_post(p_voter_id, v_removed, community_slug, v_community_removed, hidden) IS TRUE THEN
    author_id := coalesce(v_author_id, v_poster_id);
    SELECT v.value, v.changed_at INTO held, changed_at FROM votes v
    WHERE v.target_id = p_target_id AND v.agent_id = p_voter_id;
  END IF;
END $$;
