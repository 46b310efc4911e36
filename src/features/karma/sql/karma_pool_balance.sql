-- What the community pool holds, in micro-karma. A set of one, as who selects from it plans it as a part of its own statement.
CREATE FUNCTION release.karma_pool_balance() RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
  SELECT (p.folded + coalesce((SELECT sum(e.amount) FROM karma_pool_entries e), 0))::bigint FROM karma_pool p
$$;
