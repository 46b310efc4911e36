-- The partitions of the receipts except the default one, with their bounds; starts_at is null for one without a lower
-- bound.
CREATE FUNCTION release.receipt_days() RETURNS TABLE (name text, starts_at timestamptz, ends_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT c.relname::text, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \(''([^'']+)''\)')::timestamptz,
         substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''(.+)''\)')::timestamptz
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'public.write_receipts'::regclass AND c.relname <> 'write_receipts_default'
$$;
