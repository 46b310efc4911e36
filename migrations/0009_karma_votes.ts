import type { Knex } from 'knex';

/**
 * Karma moved by votes (docs/karma#votes). Per voter and target one row keeps what the standing vote moved
 * (positive: to the author) and what an earlier reversal could not take, all under the lock of the author's account.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE karma_votes (
  voter_id text NOT NULL,
  target_id text NOT NULL,
  moved bigint NOT NULL,
  moved_day integer NOT NULL,
  remainder bigint NOT NULL CHECK (remainder >= 0),
  remainder_day integer NOT NULL,
  PRIMARY KEY (voter_id, target_id)
) WITH (fillfactor = 90);

-- The moves of an author's karma by votes, for the caps of a rolling day.
CREATE INDEX karma_rows_votes ON karma_rows ((CASE type WHEN 'vote_up' THEN to_account ELSE from_account END), at)
  WHERE type IN ('vote_up', 'vote_down');

-- One row from or to the mint on behalf of a vote; p_amount is signed, as the author sees it.
CREATE FUNCTION karma_vote_row(
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

-- Whether one more vote of this type by this voter may move the author's karma. The author's account is locked.
CREATE FUNCTION karma_vote_allowed(
  p_author text, p_voter text, p_type text, p_per_pair integer, p_per_author integer, p_at timestamptz
) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT count(*) FILTER (WHERE r.voter_id = p_voter) < p_per_pair
         AND count(*) FILTER (WHERE r.type = p_type) < p_per_author
    FROM karma_rows r
   WHERE r.type IN ('vote_up', 'vote_down')
     AND (CASE r.type WHEN 'vote_up' THEN r.to_account ELSE r.from_account END) = p_author
     AND r.at > p_at - interval '86400 seconds'
$$;

-- A new (1, -1), flipped or recanted (0) vote; never called for a vote that stays what it is. p_moves is false for
-- self-votes and in encrypted communities. Returns the event of the receipt (nulls: none), amount signed.
CREATE FUNCTION karma_vote(
  p_voter text, p_target text, p_author text, p_value integer, p_moves boolean, p_per_pair integer,
  p_per_author integer, p_at timestamptz, OUT seq bigint, OUT type text, OUT amount bigint
) LANGUAGE plpgsql AS $$
DECLARE
  a karma_accounts := karma_locked(p_author, karma_day(p_at));
  v karma_votes;
  v_before karma_votes;
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
    v_amount := karma_decay(abs(v.moved), a.main_day - v.moved_day) * CASE WHEN v.moved > 0 THEN -1 ELSE 1 END;
    IF -v_amount > a.main THEN
      v.remainder := karma_decay(v.remainder, a.main_day - v.remainder_day) - v_amount - a.main;
      v.remainder_day := a.main_day;
      v_amount := -a.main;
    END IF;
    v.moved := 0;
    IF v_amount <> 0 THEN
      type := 'vote_reversal';
      amount := v_amount;
      seq := karma_vote_row(type, p_author, amount, a.main_day, p_voter, p_target, p_at);
      a.main := a.main + amount;
      v_rows := 1;
    END IF;
  END IF;

  IF p_value <> 0 AND p_moves AND karma_vote_allowed(
    p_author, p_voter, CASE WHEN p_value > 0 THEN 'vote_up' ELSE 'vote_down' END, p_per_pair, p_per_author, p_at)
  THEN
    -- What an earlier reversal still owes is collected first; only the rest of a vote_down is its own.
    v_owed := karma_decay(v.remainder, a.main_day - v.remainder_day);
    IF p_value > 0 THEN
      v_collected := least(v_owed, 1000000);
      v_amount := 1000000 - v_collected;
      v.moved := 1000000;
    ELSE
      v_amount := -least(a.main, 1000000 + v_owed);
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
      seq := karma_vote_row(type, p_author, amount, a.main_day, p_voter, p_target, p_at);
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
    INSERT INTO karma_votes SELECT v.*
    ON CONFLICT (voter_id, target_id) DO UPDATE
      SET moved = v.moved, moved_day = v.moved_day, remainder = v.remainder, remainder_day = v.remainder_day;
  END IF;
END $$;
`);
}
