CREATE FUNCTION release.minute_of(p_at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(extract(epoch FROM p_at) / 60)::bigint
$$;
