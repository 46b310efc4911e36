-- What the community pool holds, in micro-karma. SETOF, so that it is inlined where it is selected from.
CREATE FUNCTION release.karma_pool_balance() RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
  SELECT (p.folded + coalesce((SELECT sum(e.amount) FROM karma_pool_entries e), 0))::bigint FROM karma_pool p
$$;
