-- Writes a row from or to the mint for a vote. p_amount is signed as the author sees it.
CREATE FUNCTION release.karma_vote_row(
  p_type text, p_author text, p_amount bigint, p_day integer, p_voter text, p_target text, p_at timestamptz
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_seq bigint;
BEGIN
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, voter_id, at)
  VALUES (p_type, CASE WHEN p_amount < 0 THEN p_author ELSE 'mint' END,
          CASE WHEN p_amount < 0 THEN 'mint' ELSE p_author END, abs(p_amount), p_day, p_target, p_voter, p_at)
  RETURNING seq INTO v_seq;
  RETURN v_seq;
END $$;
