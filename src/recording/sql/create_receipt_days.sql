-- Creates the partitions of the receipts for p_days days from that of p_at on. Existing ones stay, also those of
-- distant days. No writer waits, because a day with rows in the default partition gets none.
CREATE FUNCTION release.create_receipt_days(p_at timestamptz, p_days integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_today timestamptz := date_trunc('day', p_at, 'UTC');
  v_from timestamptz;
  v_name text;
BEGIN
  FOR v_day IN 0 .. p_days - 1 LOOP
    v_from := v_today + make_interval(hours => 24 * v_day);
    CONTINUE WHEN EXISTS (SELECT FROM release.receipt_days() d
                          WHERE d.ends_at > v_from AND (d.starts_at < v_from + interval '24 hours') IS NOT FALSE)
      OR EXISTS (SELECT FROM public.write_receipts_default d
                 WHERE d.signed_at >= v_from AND d.signed_at < v_from + interval '24 hours');
    v_name := 'write_receipts_' || to_char(v_from AT TIME ZONE 'UTC', 'YYYY_MM_DD');
    EXECUTE format('CREATE TABLE public.%I (LIKE public.write_receipts)', v_name);
    EXECUTE format('CREATE UNIQUE INDEX ON public.%I (agent_id, nonce)', v_name);
    EXECUTE format('CREATE INDEX ON public.%I (agent_id, created_at) WHERE counter IS NOT NULL', v_name);
    EXECUTE format('ALTER TABLE public.write_receipts ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', v_name,
      v_from, v_from + interval '24 hours');
  END LOOP;
END $$;
