-- `roll` of `protocol/karmaFormat.ts`. After grace_day the rest of the grant joins main karma, decayed since then.
CREATE FUNCTION release.karma_roll(p_account public.karma_accounts, p_day integer) RETURNS public.karma_accounts
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_left bigint;
BEGIN
  IF p_day > p_account.main_day THEN
    v_left := release.karma_decay(p_account.main, p_day - p_account.main_day);
    p_account.decayed := p_account.decayed + p_account.main - v_left;
    p_account.main := v_left;
    p_account.main_day := p_day;
  END IF;
  IF p_account.grace > 0 AND p_day > p_account.grace_day THEN
    v_left := release.karma_decay(p_account.grace, p_day - p_account.grace_day);
    p_account.decayed := p_account.decayed + p_account.grace - v_left;
    p_account.main := p_account.main + v_left;
    p_account.grace := 0;
  END IF;
  RETURN p_account;
END $$;
