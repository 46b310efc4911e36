CREATE FUNCTION release.karma_pool_balance() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT (p.folded + coalesce((SELECT sum(e.amount) FROM karma_pool_entries e), 0))::bigint FROM karma_pool p);
END $$;
