import type { Knex } from 'knex';

/**
 * A vote is one statement (docs/karma#votes): it enters, locks the target, looks, decides, moves karma and writes, so
 * that the target's row is locked for as long as that takes and not for round trips. The lock and the writing are those
 * of migration 0007.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- Records a write whose own statement found that it does nothing that costs allowance; the admission carries the figures
-- that its receipt then shows.
CREATE FUNCTION record_free_write(p_admission jsonb, p_facts jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM record_write(p_admission || '{"counter": null}',
                       (p_facts || jsonb_build_object('rateLimit', p_admission->'rateLimitIfFree'))::text);
END $$;

-- Votes up (1), down (-1) or takes the own vote back (0); answers what became of it, which the receipt's facts hold too.
--
--   held    asked   becomes  charged
--   none    up      up       yes
--   up      up      up       no, nothing changes
--   down    up      up       yes: a flip
--   (and the same with up and down exchanged)
--   none    back    AF404
--   any     back    none     no; AF409 when it was last changed before p_recantable_from
--
-- Locks, in this order: agent, target, the author's karma account. AF404 too when the target does not exist for the voter.
-- Self-votes and votes in encrypted communities count in the score only (contract 7).
CREATE FUNCTION cast_vote(
  p_admission jsonb, p_facts text, p_voter_id text, p_target_id text, p_value integer, p_recantable_from timestamptz,
  p_per_pair integer, p_per_author integer, p_at timestamptz
) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_target record;
  v_held integer;
  v_moved record;
  v_outcome jsonb;
BEGIN
  PERFORM enter_write(p_admission);
  SELECT * INTO v_target FROM lock_vote_target(p_voter_id, p_target_id);
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such target';
  END IF;
  v_held := coalesce(v_target.held, 0);
  IF p_value = 0 AND v_held = 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no vote to take back';
  ELSIF p_value = 0 AND v_target.changed_at < p_recantable_from THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'too late to take the vote back';
  END IF;
  v_outcome := jsonb_build_object(
    'value', p_value, 'changed', p_value <> v_held, 'moved', NULL,
    'upvotes', v_target.upvotes + (p_value = 1)::integer - (v_held = 1)::integer,
    'downvotes', v_target.downvotes + (p_value = -1)::integer - (v_held = -1)::integer);
  IF p_value = v_held THEN
    PERFORM record_free_write(p_admission, p_facts::jsonb || v_outcome);
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_moved FROM karma_vote(
    p_voter_id, p_target_id, v_target.author_id, p_value, v_target.author_id <> p_voter_id AND NOT v_target.hidden,
    p_per_pair, p_per_author, p_at);
  IF v_moved.seq IS NOT NULL THEN
    -- As text: a number of JSON is not read whole beyond 2^53.
    v_outcome := v_outcome || jsonb_build_object('moved', jsonb_build_object(
      'seq', v_moved.seq::text, 'type', v_moved.type, 'amount', v_moved.amount::text));
  END IF;
  PERFORM write_vote(p_admission, (p_facts::jsonb || v_outcome)::text, p_voter_id, p_target_id, v_held::smallint,
                     p_value::smallint, v_target.community_slug, v_target.hidden, p_at);
  RETURN v_outcome;
END $$;
`);
}
