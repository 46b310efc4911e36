-- AF404: the post is removed, or encrypted and hidden from the author. AF403: the author is no member
-- (docs/communities). AF400: an envelope in the open, or text where only envelopes are. Runs under the lock of
-- `create_reply`.
CREATE FUNCTION release.require_may_reply(
  p_author_id text, p_is_envelope boolean, p_removed boolean, p_community_slug text, p_community_removed boolean,
  p_encrypted boolean
) RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF release.may_see_post(p_author_id, p_removed, p_community_slug, p_community_removed, p_encrypted) IS NOT TRUE THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such post';
  END IF;
  IF p_community_slug IS NOT NULL AND NOT release.is_member(p_author_id, p_community_slug) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'not a member';
  END IF;
  IF p_encrypted <> p_is_envelope THEN
    RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'body', MESSAGE = 'envelope in the wrong place';
  END IF;
END $$;
