-- The time of the service: that of the database, moved by the process that asks (0 except in tests).
CREATE FUNCTION release.service_time(p_ahead_ms double precision) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT clock_timestamp() + p_ahead_ms * interval '1 millisecond'
$$;
