-- `decay` of `protocol/karmaFormat.ts`, factors scaled by 10^18. div(), because floor() would see a rounded quotient.
CREATE FUNCTION release.karma_decay(p_amount bigint, p_days integer) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_half_life integer;
  v_factor numeric;
BEGIN
  IF p_days <= 0 OR p_amount = 0 THEN
    RETURN p_amount;
  END IF;
  SELECT r.half_life_days, f.factor INTO v_half_life, v_factor
    FROM karma_rules r JOIN karma_decay_factors f ON f.remainder = p_days % r.half_life_days;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'the half-life was never stored';
  END IF;
  -- 63 half-lives leave nothing of any bigint.
  IF p_days / v_half_life >= 63 THEN
    RETURN 0;
  END IF;
  RETURN div(p_amount * v_factor, 1000000000000000000 * (1::bigint << (p_days / v_half_life))::numeric);
END $$;
