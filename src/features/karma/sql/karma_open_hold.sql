-- Locks the owner and p_other, then the hold. AF409: another row resolved the hold (docs/karma#the-ledger).
CREATE FUNCTION release.karma_open_hold(p_hold bigint, p_other text) RETURNS public.karma_holds LANGUAGE plpgsql AS $$
DECLARE
  h public.karma_holds;
BEGIN
  PERFORM FROM karma_accounts
    WHERE agent_id IN ((SELECT x.agent_id FROM karma_holds x WHERE x.hold_seq = p_hold), p_other)
    ORDER BY agent_id FOR NO KEY UPDATE;
  SELECT * INTO h FROM karma_holds WHERE hold_seq = p_hold FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'no such hold';
  ELSIF h.resolved_seq IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'already resolved';
  END IF;
  RETURN h;
END $$;
