-- The service's time: the database's, and by how much the process that asks has moved its clock (0 but in tests).
CREATE FUNCTION release.service_time(p_ahead_ms double precision) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT clock_timestamp() + p_ahead_ms * interval '1 millisecond'
$$;
