-- Drops the partitions of the receipts that end at p_before or earlier, and empties the default one once all its rows
-- are older. Returns their number. A partition that is in use is dropped another time.
CREATE FUNCTION release.drop_receipt_days(p_before timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_name text;
  v_dropped integer := 0;
BEGIN
  PERFORM set_config('lock_timeout', '200ms', true);
  FOR v_name IN SELECT d.name FROM release.receipt_days() d WHERE d.ends_at <= p_before ORDER BY d.ends_at LOOP
    EXECUTE format('DROP TABLE public.%I', v_name);
    v_dropped := v_dropped + 1;
  END LOOP;
  IF EXISTS (SELECT FROM public.write_receipts_default)
     AND NOT EXISTS (SELECT FROM public.write_receipts_default d WHERE d.signed_at >= p_before) THEN
    TRUNCATE public.write_receipts_default;
    v_dropped := v_dropped + 1;
  END IF;
  RETURN v_dropped;
EXCEPTION WHEN lock_not_available THEN
  RETURN 0;
END $$;
