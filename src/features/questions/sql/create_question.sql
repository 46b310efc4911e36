-- AF404: the community was removed meanwhile. Locks karma before the post counts, in the order that a removal uses.
CREATE FUNCTION release.create_question(
  p_post_id text, p_author_id text, p_post_type text, p_community_slug text, p_hidden boolean, p_title text,
  p_body text,
  p_at timestamptz, p_bounty_stake integer, p_bounty_micro bigint
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_hold bigint;
  v_post release.outcome;
BEGIN
  IF p_bounty_stake IS NOT NULL THEN
    PERFORM FROM community_states WHERE slug = p_community_slug AND NOT removed FOR SHARE;
    IF NOT FOUND AND p_community_slug IS NOT NULL THEN
      RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such community';
    END IF;
    v_hold := release.karma_hold(p_author_id, p_bounty_micro, 'bounty_escrow', p_post_id, p_at);
  END IF;
  v_post := release.create_post(p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title, p_body, p_at);
  INSERT INTO questions (post_id, bounty_stake, hold_seq, community_slug)
  VALUES (p_post_id, p_bounty_stake, v_hold, p_community_slug);
  RETURN v_post;
END $$;
