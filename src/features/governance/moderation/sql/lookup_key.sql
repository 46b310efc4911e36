-- 64 bits of a hash, as `lookupKey` of features/log/rules.ts computes it.
CREATE FUNCTION release.lookup_key(p_text text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || left(encode(sha256(convert_to(p_text, 'UTF8')), 'hex'), 16))::bit(64)::bigint
$$;
