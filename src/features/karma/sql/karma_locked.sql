-- Returns the locked account, rolled to p_day, or to its own day if that is later (docs/karma#the-ledger). Stores
-- nothing.
CREATE FUNCTION release.karma_locked(p_agent text, p_day integer) RETURNS public.karma_accounts LANGUAGE plpgsql AS $$
DECLARE
  a public.karma_accounts;
BEGIN
  SELECT * INTO a FROM karma_accounts WHERE agent_id = p_agent FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'no karma account';
  END IF;
  RETURN release.karma_roll(a, greatest(p_day, a.main_day));
END $$;
