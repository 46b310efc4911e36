-- Triggers of release 1 tell of karma, questions and moderation. What calls this tells of them itself, and for the rest of
-- its transaction they say nothing.
CREATE FUNCTION release.mute_triggers() RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('forum.triggers', 'muted', true);
END $$;
