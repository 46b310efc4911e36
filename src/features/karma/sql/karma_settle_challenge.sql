-- Settles award and stakes (docs/challenges#scoring, docs/challenges#stakes). With a winner p_award is minted, else the
-- award hold (null: no escrow) is released. p_won (parallel to p_stakes) share the other stakes; without a winner all
-- stakes are released. AF409 if any hold is already resolved.
CREATE FUNCTION release.karma_settle_challenge(
  p_reference text, p_award_hold bigint, p_winner text, p_award bigint, p_stakes bigint[], p_won boolean[],
  p_at timestamptz
) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
  v_holds bigint[] := array_remove(p_stakes || p_award_hold, NULL);
  v_won bigint[] := ARRAY(SELECT s FROM unnest(p_stakes, p_won) AS x(s, won) WHERE won);
  v_lost bigint[] := ARRAY(SELECT s FROM unnest(p_stakes, p_won) AS x(s, won) WHERE won IS NOT TRUE);
  v_before bigint;
  v_after bigint;
  v_found bigint;
  v_open bigint;
BEGIN
  PERFORM FROM karma_accounts
    WHERE agent_id IN (SELECT h.agent_id FROM unnest(v_holds) held(seq) JOIN karma_holds h ON h.hold_seq = held.seq
                       UNION SELECT p_winner)
    ORDER BY agent_id FOR NO KEY UPDATE;
  SELECT count(*), count(*) FILTER (WHERE resolved_seq IS NULL) INTO v_found, v_open
    FROM unnest(v_holds) held(seq) JOIN karma_holds ON hold_seq = held.seq;
  IF v_found <> cardinality(v_holds) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'no such hold';
  ELSIF v_open <> v_found THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'already resolved';
  END IF;
  SELECT last_value INTO v_before FROM public.karma_rows_seq_seq;

  IF p_winner IS NOT NULL THEN
    IF p_award_hold IS NOT NULL THEN
      PERFORM release.karma_post(p_award_hold, 'pool', 'challenge_consume', p_at);
    END IF;
    PERFORM release.karma_mint_award(p_winner, p_award, p_reference, p_at);
  ELSIF p_award_hold IS NOT NULL THEN
    PERFORM release.karma_release(p_award_hold, 'challenge_release', p_at);
  END IF;

  IF cardinality(v_won) = 0 THEN
    PERFORM release.karma_release_all(p_stakes, 'stake_refund', p_at);
  ELSE
    PERFORM release.karma_release_all(v_won, 'stake_refund', p_at);
    PERFORM release.karma_forfeit_all(v_lost, 'stake_forfeit', p_at);
    PERFORM release.karma_pay_winners(v_won, v_lost, p_reference, p_at);
  END IF;
  -- With both bounds the planner expects few rows, with one a third of the table.
  SELECT last_value INTO v_after FROM public.karma_rows_seq_seq;
  RETURN QUERY SELECT seq FROM karma_rows WHERE seq BETWEEN v_before AND v_after AND reference = p_reference
                  AND type NOT IN ('challenge_escrow', 'stake_escrow') ORDER BY seq;
END $$;
