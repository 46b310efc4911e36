-- Records a write whose own statement found that it does nothing that costs allowance; the admission carries the figures
-- that its receipt then shows.
CREATE FUNCTION release.record_free_write(p_admission jsonb, p_facts jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM release.record_write(p_admission || '{"counter": null}',
                       (p_facts || jsonb_build_object('rateLimit', p_admission->'rateLimitIfFree'))::text);
END $$;
