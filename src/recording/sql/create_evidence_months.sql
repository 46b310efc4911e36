-- Creates the partitions of the evidence for p_months months from that of p_at on. Existing ones stay. No writer waits,
-- because a month with rows in the default partition gets none.
CREATE FUNCTION release.create_evidence_months(p_at timestamptz, p_months integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_first timestamptz := date_trunc('month', p_at, 'UTC');
  v_from timestamptz;
  v_until timestamptz;
  v_name text;
BEGIN
  FOR v_month IN 0 .. p_months - 1 LOOP
    v_from := (v_first AT TIME ZONE 'UTC' + make_interval(months => v_month)) AT TIME ZONE 'UTC';
    v_until := (v_first AT TIME ZONE 'UTC' + make_interval(months => v_month + 1)) AT TIME ZONE 'UTC';
    v_name := 'write_evidence_' || to_char(v_from AT TIME ZONE 'UTC', 'YYYY_MM');
    CONTINUE WHEN to_regclass('public.' || v_name) IS NOT NULL
      OR EXISTS (SELECT FROM public.write_evidence_default d WHERE d.accepted_at >= v_from AND d.accepted_at < v_until);
    EXECUTE format('CREATE TABLE public.%I (LIKE public.write_evidence INCLUDING DEFAULTS)', v_name);
    EXECUTE format('ALTER TABLE public.write_evidence ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', v_name,
      v_from, v_until);
  END LOOP;
END $$;
