-- Tells each agent on either side of a row of the ledger that its karma moved. Votes are told of by their own figures.
CREATE FUNCTION release.tell_karma(p_seq bigint, p_from text, p_to text, p_at timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  SELECT DISTINCT 'karma.moved', p_seq::text, true, p_at, account FROM unnest(ARRAY[p_from, p_to]) AS account
  WHERE account NOT IN ('mint', 'pool');
END $$;
