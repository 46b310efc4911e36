-- Triggers of release 1 tell of karma, questions and moderation. What calls this tells of them itself, and for the rest of
-- its transaction they say nothing. True: what is only called is a statement of its own, what is a value costs a third of one.
CREATE FUNCTION release.mute_triggers() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN set_config('forum.triggers', 'muted', true) IS NOT NULL;
END $$;
