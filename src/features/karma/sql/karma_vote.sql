-- Moves karma for a new (1, -1), flipped or recanted (0) vote (docs/karma#votes). p_moves is false for self-votes and
-- in encrypted communities. Returns the event of the receipt with a signed amount, or nulls.
CREATE FUNCTION release.karma_vote(
  p_voter text, p_target text, p_author text, p_value integer, p_moves boolean, p_micro bigint, p_per_pair integer,
  p_per_author integer, p_capped_since timestamptz, p_registered_by timestamptz, p_at timestamptz, OUT seq bigint,
  OUT type text, OUT amount bigint
) LANGUAGE plpgsql AS $$
DECLARE
  a public.karma_accounts := release.karma_locked(p_author, release.karma_day(p_at));
  v public.karma_votes;
  v_before public.karma_votes;
  v_amount bigint;
  v_owed bigint;
  v_collected bigint;
  v_rows integer := 0;
BEGIN
  SELECT * INTO v FROM karma_votes WHERE voter_id = p_voter AND target_id = p_target;
  IF NOT FOUND THEN
    v := (p_voter, p_target, 0, a.main_day, 0, a.main_day);
  END IF;
  v_before := v;

  IF v.moved <> 0 THEN
    v_amount := release.karma_decay(abs(v.moved), a.main_day - v.moved_day) * CASE WHEN v.moved > 0 THEN -1 ELSE 1 END;
    IF -v_amount > a.main THEN
      v.remainder := release.karma_decay(v.remainder, a.main_day - v.remainder_day) - v_amount - a.main;
      v.remainder_day := a.main_day;
      v_amount := -a.main;
    END IF;
    v.moved := 0;
    IF v_amount <> 0 THEN
      type := 'vote_reversal';
      amount := v_amount;
      seq := release.karma_vote_row(type, p_author, amount, a.main_day, p_voter, p_target, p_at);
      a.main := a.main + amount;
      v_rows := 1;
    END IF;
  END IF;

  IF p_value <> 0 AND p_moves AND release.karma_vote_allowed(
    p_author, p_voter, CASE WHEN p_value > 0 THEN 'vote_up' ELSE 'vote_down' END, p_per_pair, p_per_author,
    p_capped_since, p_registered_by)
  THEN
    -- What an earlier reversal could not take is collected first. Only the rest counts as moved by this vote_down.
    v_owed := release.karma_decay(v.remainder, a.main_day - v.remainder_day);
    IF p_value > 0 THEN
      v_collected := least(v_owed, p_micro);
      v_amount := p_micro - v_collected;
      v.moved := p_micro;
    ELSE
      v_amount := -least(a.main, p_micro + v_owed);
      v_collected := least(v_owed, -v_amount);
      v.moved := v_amount + v_collected;
    END IF;
    IF v.moved <> 0 THEN
      v.moved_day := a.main_day;
    END IF;
    IF v_collected > 0 THEN
      v.remainder := v_owed - v_collected;
      v.remainder_day := a.main_day;
    END IF;
    IF v_amount <> 0 THEN
      type := CASE WHEN p_value > 0 THEN 'vote_up' ELSE 'vote_down' END;
      amount := v_amount;
      seq := release.karma_vote_row(type, p_author, amount, a.main_day, p_voter, p_target, p_at);
      a.main := a.main + amount;
      v_rows := v_rows + 1;
    END IF;
  END IF;

  IF v_rows > 0 THEN
    UPDATE karma_accounts
       SET grace = a.grace, main = a.main, main_day = a.main_day, decayed = a.decayed,
           earned_events = a.earned_events + v_rows
     WHERE agent_id = p_author;
  END IF;
  IF v IS DISTINCT FROM v_before THEN
    INSERT INTO karma_votes (voter_id, target_id, moved, moved_day, remainder, remainder_day)
    VALUES (v.voter_id, v.target_id, v.moved, v.moved_day, v.remainder, v.remainder_day)
    ON CONFLICT (voter_id, target_id) DO UPDATE
      SET moved = v.moved, moved_day = v.moved_day, remainder = v.remainder, remainder_day = v.remainder_day;
  END IF;
END $$;
