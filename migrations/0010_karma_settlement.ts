import type { Knex } from 'knex';

/**
 * Settling a challenge's escrow at once (docs/challenges#stakes), in sets: thousands of stakes stay far below
 * the time limit of a statement (10,000 stakes: 0.7 s). Holds are joined from unnest(): under a scan, `= ANY (array)`
 * would search the array for every hold.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- Releases open holds of locked accounts; an account is rolled once.
CREATE FUNCTION karma_release_all(p_holds bigint[], p_type text, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  WITH back AS (
    SELECT h.*, p.to_grace, p.to_main, greatest(karma_day(p_at), a.main_day, h.day) AS release_day
      FROM unnest(p_holds) held(seq)
      JOIN karma_holds h ON h.hold_seq = held.seq
      JOIN karma_accounts a USING (agent_id)
      CROSS JOIN LATERAL karma_release_parts(h, a.grace_day, greatest(karma_day(p_at), a.main_day, h.day)) p
  ), released AS (
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, hold_seq, at)
    SELECT p_type, agent_id, agent_id, to_grace + to_main, release_day, to_grace, reference, hold_seq, p_at
      FROM back ORDER BY hold_seq
    RETURNING seq, hold_seq
  ), resolved AS (
    UPDATE karma_holds h SET resolved_seq = released.seq FROM released WHERE h.hold_seq = released.hold_seq
  ), gain AS (
    SELECT agent_id, max(release_day) AS release_day, sum(to_grace) AS to_grace, sum(to_main) AS to_main,
           sum(amount - to_grace - to_main) AS lost, count(*) AS events
      FROM back GROUP BY agent_id
  )
  UPDATE karma_accounts a
     SET grace = rolled.grace + rolled.to_grace, main = rolled.main + rolled.to_main, main_day = rolled.main_day,
         decayed = rolled.decayed + rolled.lost, staked_events = a.staked_events + rolled.events
    FROM (SELECT r.*, g.to_grace, g.to_main, g.lost, g.events
            FROM gain g JOIN karma_accounts x USING (agent_id)
            CROSS JOIN LATERAL karma_roll(x, g.release_day) r) rolled
   WHERE a.agent_id = rolled.agent_id;
END $$;

-- Posts open holds of locked accounts to the pool at face.
CREATE FUNCTION karma_forfeit_all(p_holds bigint[], p_type text, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  WITH posted AS (
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, hold_seq, at)
    SELECT p_type, agent_id, 'pool', amount, greatest(karma_day(p_at), day), reference, hold_seq, p_at
      FROM unnest(p_holds) held(seq) JOIN karma_holds ON hold_seq = held.seq ORDER BY hold_seq
    RETURNING seq, hold_seq, from_account
  ), resolved AS (
    UPDATE karma_holds h SET resolved_seq = posted.seq FROM posted WHERE h.hold_seq = posted.hold_seq
  )
  UPDATE karma_accounts a SET staked_events = a.staked_events + p.events
    FROM (SELECT from_account, count(*) AS events FROM posted GROUP BY from_account) p
   WHERE a.agent_id = p.from_account;
END $$;

-- Shares the face of the lost holds among the winners, one row an agent, rounded down; what is left stays in the pool.
CREATE FUNCTION karma_pay_winners(p_won bigint[], p_lost bigint[], p_reference text, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_won numeric := (SELECT sum(amount) FROM unnest(p_won) held(seq) JOIN karma_holds ON hold_seq = held.seq);
  v_lost numeric := (SELECT sum(amount) FROM unnest(p_lost) held(seq) JOIN karma_holds ON hold_seq = held.seq);
BEGIN
  WITH share AS (
    SELECT agent_id, min(hold_seq) AS first_hold, div(v_lost * sum(amount), v_won)::bigint AS amount
      FROM unnest(p_won) held(seq) JOIN karma_holds ON hold_seq = held.seq GROUP BY agent_id
  ), paid AS (
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, at)
    SELECT 'stake_payout', 'pool', s.agent_id, s.amount, greatest(karma_day(p_at), a.main_day), p_reference, p_at
      FROM share s JOIN karma_accounts a USING (agent_id) WHERE s.amount > 0 ORDER BY s.first_hold
    RETURNING to_account, amount, day
  )
  UPDATE karma_accounts a
     SET grace = rolled.grace, main = rolled.main + rolled.amount, main_day = rolled.main_day,
         decayed = rolled.decayed, earned_events = a.earned_events + 1
    FROM (SELECT r.*, p.amount FROM paid p JOIN karma_accounts x ON x.agent_id = p.to_account
            CROSS JOIN LATERAL karma_roll(x, p.day) r) rolled
   WHERE a.agent_id = rolled.agent_id;
END $$;

-- Settles a challenge: the award hold is consumed and p_award minted to p_winner, or released when p_winner is null;
-- stakes are shared by p_won (parallel to p_stakes), or all released when none of them won. A null award hold is a
-- declaration without escrow. Returns the rows it wrote, in order. AF409 when any hold is already resolved.
CREATE FUNCTION karma_settle_challenge(
  p_reference text, p_award_hold bigint, p_winner text, p_award bigint, p_stakes bigint[], p_won boolean[],
  p_at timestamptz
) RETURNS SETOF karma_rows LANGUAGE plpgsql AS $$
DECLARE
  v_holds bigint[] := array_remove(p_stakes || p_award_hold, NULL);
  v_won bigint[] := ARRAY(SELECT s FROM unnest(p_stakes, p_won) AS x(s, won) WHERE won);
  v_lost bigint[] := ARRAY(SELECT s FROM unnest(p_stakes, p_won) AS x(s, won) WHERE won IS NOT TRUE);
  v_before bigint;
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
  SELECT last_value INTO v_before FROM karma_rows_seq_seq;

  IF p_winner IS NOT NULL THEN
    IF p_award_hold IS NOT NULL THEN
      PERFORM karma_post(p_award_hold, 'pool', 'challenge_consume', p_at);
    END IF;
    PERFORM karma_mint_award(p_winner, p_award, p_reference, p_at);
  ELSIF p_award_hold IS NOT NULL THEN
    PERFORM karma_release(p_award_hold, 'challenge_release', p_at);
  END IF;

  IF cardinality(v_won) = 0 THEN
    PERFORM karma_release_all(p_stakes, 'stake_refund', p_at);
  ELSE
    PERFORM karma_release_all(v_won, 'stake_refund', p_at);
    PERFORM karma_forfeit_all(v_lost, 'stake_forfeit', p_at);
    PERFORM karma_pay_winners(v_won, v_lost, p_reference, p_at);
  END IF;
  RETURN QUERY SELECT * FROM karma_rows WHERE seq >= v_before AND reference = p_reference
                  AND type NOT IN ('challenge_escrow', 'stake_escrow') ORDER BY seq;
END $$;
`);
}
