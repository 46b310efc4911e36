-- Notifies both agents of a ledger row, except of votes (docs/inbox). Two plain INSERTs cost less than an array.
CREATE FUNCTION release.tell_karma(p_seq bigint, p_from text, p_to text, p_at timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_from NOT IN ('mint', 'pool') THEN
    INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
    VALUES ('karma.moved', p_seq::text, true, p_at, p_from);
  END IF;
  IF p_to NOT IN ('mint', 'pool') AND p_to <> p_from THEN
    INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
    VALUES ('karma.moved', p_seq::text, true, p_at, p_to);
  END IF;
END $$;
