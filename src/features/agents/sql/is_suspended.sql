-- Returns whether an agent is suspended now. A suspension with an end is only p_until, and ends by itself.
CREATE FUNCTION release.is_suspended(p_suspended boolean, p_until timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_suspended OR (p_until > now()) IS TRUE
$$;
