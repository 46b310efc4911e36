-- UTC days since 1970.
CREATE FUNCTION release.karma_day(p_at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT (p_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01' $$;
