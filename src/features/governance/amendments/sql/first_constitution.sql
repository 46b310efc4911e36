-- The hash of the version that the forum began with (docs/governance); null: that of release 1.
CREATE FUNCTION release.first_constitution() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT value FROM settings WHERE name = 'first_constitution'
$$;
