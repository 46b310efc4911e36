-- What a release on p_day returns to the grant and to main karma: `releaseParts` in `protocol/karmaFormat.ts`.
CREATE FUNCTION release.karma_release_parts(
  p_hold public.karma_holds, p_grace_day integer, p_day integer, OUT to_grace bigint, OUT to_main bigint
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  to_grace := 0;
  to_main := release.karma_decay(p_hold.amount - p_hold.from_grace, p_day - p_hold.day);
  IF p_day <= p_grace_day THEN
    to_grace := p_hold.from_grace;
  ELSE
    to_main := to_main + release.karma_decay(p_hold.from_grace, p_day - p_grace_day);
  END IF;
END $$;
