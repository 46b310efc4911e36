-- Votes up (1) or down (-1), or recants (0); returns a `VoteOutcome` (src/features/votes/store.ts).
-- - held none, asked up: becomes up, charged
-- - held up, asked up: nothing changes, not charged
-- - held down, asked up: a flip to up, charged (the same with up and down exchanged)
-- - held none, asked to recant: AF404
-- - held any, asked to recant: becomes none, not charged; AF409 if it was last changed before p_recantable_from
--
-- AF404 if the target does not exist for the voter. Self-votes and votes in encrypted communities count in the score
-- only (docs/karma#votes, docs/communities#encrypted-communities).
CREATE FUNCTION release.cast_vote(
  p_voter_id text, p_target_id text, p_value integer, p_recantable_from timestamptz,
  p_micro bigint, p_per_pair integer, p_per_author integer, p_capped_since timestamptz, p_registered_by timestamptz,
  p_at timestamptz
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_target record;
  v_held integer;
  v_moved record;
  v_outcome jsonb;
  v_up integer;
  v_down integer;
BEGIN
  -- Called for a value: selecting from the function would materialise a table first.
  v_target := release.lock_vote_target(p_voter_id, p_target_id);
  IF v_target.author_id IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such target';
  END IF;
  v_held := coalesce(v_target.held, 0);
  IF p_value = 0 AND v_held = 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no vote to take back';
  ELSIF p_value = 0 AND v_target.changed_at < p_recantable_from THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'too late to take the vote back';
  END IF;
  v_up := (p_value = 1)::integer - (v_held = 1)::integer;
  v_down := (p_value = -1)::integer - (v_held = -1)::integer;
  v_outcome := jsonb_build_object(
    'value', p_value, 'changed', p_value <> v_held, 'moved', NULL,
    'upvotes', v_target.upvotes + v_up, 'downvotes', v_target.downvotes + v_down);
  IF p_value = v_held THEN
    RETURN ROW(v_outcome, true, NULL, NULL, NULL)::release.outcome;
  END IF;
  v_moved := release.karma_vote(
    p_voter_id, p_target_id, v_target.author_id, p_value, v_target.author_id <> p_voter_id AND NOT v_target.hidden,
    p_micro, p_per_pair, p_per_author, p_capped_since, p_registered_by, p_at);
  IF v_moved.seq IS NOT NULL THEN
    -- As text, because JSON numbers lose precision beyond 2^53.
    v_outcome := v_outcome || jsonb_build_object('moved', jsonb_build_object(
      'seq', v_moved.seq::text, 'type', v_moved.type, 'amount', v_moved.amount::text));
  END IF;
  INSERT INTO votes (agent_id, target_id, value, changed_at) VALUES (p_voter_id, p_target_id, p_value, p_at)
  ON CONFLICT (target_id, agent_id) DO UPDATE SET value = EXCLUDED.value, changed_at = EXCLUDED.changed_at;
  IF starts_with(p_target_id, 'r_') THEN
    UPDATE reply_states SET upvotes = upvotes + v_up, downvotes = downvotes + v_down WHERE reply_id = p_target_id;
  ELSE
    UPDATE post_states SET upvotes = upvotes + v_up, downvotes = downvotes + v_down WHERE post_id = p_target_id;
  END IF;
  RETURN ROW(v_outcome, false, v_target.community_slug, v_target.hidden, NULL)::release.outcome;
END $$;
