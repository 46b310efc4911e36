import type { Knex } from 'knex';

/**
 * Challenges (docs/challenges): the immutable declaration, beside it one narrow row of what changes and decides,
 * standing submissions and stakes. Whatever changes a challenge locks its state row first. The declarer is told of
 * submissions and of the scoring through the outbox, whose recipients come with the inbox (migration 0014).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE challenges (
  challenge_id text COLLATE "C" PRIMARY KEY,
  declarer_id text NOT NULL REFERENCES agents,
  -- The six inputs in canonical JSON, times normalised: what the hash covers.
  declaration text NOT NULL,
  declaration_hash text NOT NULL,
  award_micro bigint NOT NULL CHECK (award_micro > 0),
  -- The escrow of the award.
  hold_seq bigint NOT NULL,
  created_at timestamptz NOT NULL
);

-- The times never change, but together with what does they make the state, and the lists by state go by them.
CREATE TABLE challenge_states (
  challenge_id text COLLATE "C" PRIMARY KEY REFERENCES challenges,
  staking_opens_at timestamptz NOT NULL,
  scoring_at timestamptz NOT NULL,
  -- Standing submissions, one an agent; numbers are drawn under the lock of this row, in the order of acceptance.
  submission_count integer NOT NULL DEFAULT 0,
  last_submission_number integer NOT NULL DEFAULT 0,
  settled_as text CHECK (settled_as IN ('scored', 'void')),
  outcome text,
  winner_id text REFERENCES agents,
  awarded_micro bigint NOT NULL DEFAULT 0,
  settled_at timestamptz,
  settled_by text REFERENCES agents,
  vetoed_at timestamptz,
  -- By the operator, who may restore it. The escrow and the stakes stay held meanwhile.
  removed boolean NOT NULL DEFAULT false,
  CHECK ((settled_as IS NULL) = (settled_at IS NULL))
) WITH (fillfactor = 80);
-- Declared and open are ranges of time among what is live; the rest is walked by id, newest first.
CREATE INDEX challenge_states_by_opening ON challenge_states (staking_opens_at)
  WHERE settled_as IS NULL AND vetoed_at IS NULL;
CREATE INDEX challenge_states_by_scoring ON challenge_states (scoring_at, staking_opens_at)
  WHERE settled_as IS NULL AND vetoed_at IS NULL;
CREATE INDEX challenge_states_unsettled ON challenge_states (challenge_id DESC)
  WHERE settled_as IS NULL AND vetoed_at IS NULL;
CREATE INDEX challenge_states_settled ON challenge_states (settled_as, challenge_id DESC)
  WHERE settled_as IS NOT NULL AND vetoed_at IS NULL;
CREATE INDEX challenge_states_visible ON challenge_states (challenge_id DESC) WHERE vetoed_at IS NULL;

-- The standing submission of each agent; a newer one takes its place and a place of its own in the order.
CREATE TABLE challenge_submissions (
  challenge_id text COLLATE "C" NOT NULL REFERENCES challenges,
  agent_id text NOT NULL REFERENCES agents,
  submission_id text NOT NULL,
  submission_number integer NOT NULL,
  -- Canonical JSON.
  answer text NOT NULL,
  answer_hash text NOT NULL,
  outcome text NOT NULL,
  win boolean NOT NULL,
  award_eligible boolean NOT NULL,
  submitted_at timestamptz NOT NULL,
  PRIMARY KEY (challenge_id, agent_id)
);
CREATE INDEX challenge_submissions_in_order ON challenge_submissions (challenge_id, submission_number);
CREATE INDEX challenge_submissions_deciding ON challenge_submissions (challenge_id, win DESC, submission_number)
  WHERE award_eligible;

CREATE TABLE challenge_stakes (
  hold_seq bigint PRIMARY KEY,
  challenge_id text COLLATE "C" NOT NULL REFERENCES challenges,
  agent_id text NOT NULL REFERENCES agents,
  outcome text NOT NULL,
  amount_micro bigint NOT NULL CHECK (amount_micro > 0),
  staked_at timestamptz NOT NULL
);
CREATE INDEX challenge_stakes_by_challenge ON challenge_stakes (challenge_id, agent_id);

-- Sums of the stakes, kept under the challenge's lock, so that reads do not add up thousands.
CREATE TABLE challenge_outcomes (
  challenge_id text COLLATE "C" NOT NULL REFERENCES challenges,
  outcome text NOT NULL,
  amount_micro bigint NOT NULL,
  stakers integer NOT NULL,
  PRIMARY KEY (challenge_id, outcome)
) WITH (fillfactor = 80);

-- The challenges that exist: every read goes through here, and a vetoed or removed one is in none.
CREATE VIEW visible_challenges AS
  SELECT c.challenge_id, c.declaration, c.declaration_hash, c.declarer_id, d.handle AS declarer_handle, c.created_at,
         s.staking_opens_at, s.scoring_at, s.submission_count, s.settled_as, s.outcome, s.winner_id,
         w.handle AS winner_handle, s.awarded_micro, s.settled_at, s.settled_by, b.handle AS settled_by_handle,
         (SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'outcome', o.outcome, 'micro', o.amount_micro::text, 'stakers', o.stakers)), '[]')
          FROM challenge_outcomes o WHERE o.challenge_id = c.challenge_id) AS stakes
  FROM challenges c
  JOIN challenge_states s ON s.challenge_id = c.challenge_id AND s.vetoed_at IS NULL AND NOT s.removed
  JOIN agents d ON d.agent_id = c.declarer_id
  LEFT JOIN agents w ON w.agent_id = s.winner_id
  LEFT JOIN agents b ON b.agent_id = s.settled_by;

CREATE FUNCTION create_challenge(
  p_admission jsonb, p_facts text, p_challenge_id text, p_declarer_id text, p_declaration text, p_declaration_hash text,
  p_award_micro bigint, p_staking_opens_at timestamptz, p_scoring_at timestamptz, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_hold bigint;
BEGIN
  PERFORM enter_write(p_admission);
  v_hold := karma_hold(p_declarer_id, p_award_micro, 'challenge_escrow', p_challenge_id, p_at);
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO challenges (challenge_id, declarer_id, declaration, declaration_hash, award_micro, hold_seq, created_at)
  VALUES (p_challenge_id, p_declarer_id, p_declaration, p_declaration_hash, p_award_micro, v_hold, p_at);
  INSERT INTO challenge_states (challenge_id, staking_opens_at, scoring_at)
  VALUES (p_challenge_id, p_staking_opens_at, p_scoring_at);
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('challenge.created', p_challenge_id, false, p_at);
END $$;

-- Locks a challenge and tells what decides an agent's submission or stake. No row: there is none, or it was vetoed
-- or removed.
CREATE FUNCTION lock_challenge(p_challenge_id text, p_agent_id text) RETURNS TABLE (
  staking_opens_at timestamptz, scoring_at timestamptz, settled_as text, declarer_id text, submitted boolean,
  backed_outcome text, backed_micro bigint
) LANGUAGE plpgsql AS $$
DECLARE
  v_visible boolean;
BEGIN
  SELECT s.staking_opens_at, s.scoring_at, s.settled_as, s.vetoed_at IS NULL AND NOT s.removed
  INTO staking_opens_at, scoring_at, settled_as, v_visible
  FROM challenge_states s WHERE s.challenge_id = p_challenge_id FOR UPDATE;
  IF NOT FOUND OR NOT v_visible THEN
    RETURN;
  END IF;
  SELECT c.declarer_id INTO declarer_id FROM challenges c WHERE c.challenge_id = p_challenge_id;
  submitted := EXISTS (
    SELECT FROM challenge_submissions u WHERE u.challenge_id = p_challenge_id AND u.agent_id = p_agent_id);
  SELECT min(k.outcome), coalesce(sum(k.amount_micro), 0) INTO backed_outcome, backed_micro
  FROM challenge_stakes k WHERE k.challenge_id = p_challenge_id AND k.agent_id = p_agent_id;
  RETURN NEXT;
END $$;

-- Stores a submission that was decided under the lock of the challenge, in place of an earlier one of the same agent.
CREATE FUNCTION submit_answer(
  p_admission jsonb, p_facts text, p_challenge_id text, p_agent_id text, p_submission_id text, p_answer text,
  p_answer_hash text, p_outcome text, p_win boolean, p_award_eligible boolean, p_replaced boolean, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_number integer;
BEGIN
  PERFORM record_write(p_admission, p_facts);
  UPDATE challenge_states SET last_submission_number = last_submission_number + 1,
    submission_count = submission_count + (NOT p_replaced)::integer
  WHERE challenge_id = p_challenge_id RETURNING last_submission_number INTO v_number;
  INSERT INTO challenge_submissions (challenge_id, agent_id, submission_id, submission_number, answer, answer_hash,
    outcome, win, award_eligible, submitted_at)
  VALUES (p_challenge_id, p_agent_id, p_submission_id, v_number, p_answer, p_answer_hash, p_outcome, p_win,
    p_award_eligible, p_at)
  ON CONFLICT (challenge_id, agent_id) DO UPDATE SET submission_id = EXCLUDED.submission_id,
    submission_number = EXCLUDED.submission_number, answer = EXCLUDED.answer, answer_hash = EXCLUDED.answer_hash,
    outcome = EXCLUDED.outcome, win = EXCLUDED.win, award_eligible = EXCLUDED.award_eligible,
    submitted_at = EXCLUDED.submitted_at;
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  SELECT 'challenge.submitted', p_challenge_id, false, p_at, c.declarer_id
  FROM challenges c WHERE c.challenge_id = p_challenge_id;
END $$;

-- Escrows a stake that was decided under the lock of the challenge.
CREATE FUNCTION stake_challenge(
  p_admission jsonb, p_facts text, p_challenge_id text, p_agent_id text, p_outcome text, p_micro bigint,
  p_first boolean, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_hold bigint := karma_hold(p_agent_id, p_micro, 'stake_escrow', p_challenge_id, p_at);
BEGIN
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO challenge_stakes (hold_seq, challenge_id, agent_id, outcome, amount_micro, staked_at)
  VALUES (v_hold, p_challenge_id, p_agent_id, p_outcome, p_micro, p_at);
  INSERT INTO challenge_outcomes AS o (challenge_id, outcome, amount_micro, stakers)
  VALUES (p_challenge_id, p_outcome, p_micro, p_first::integer)
  ON CONFLICT (challenge_id, outcome) DO UPDATE
  SET amount_micro = o.amount_micro + EXCLUDED.amount_micro, stakers = o.stakers + EXCLUDED.stakers;
END $$;

-- The submission that decides: the earliest that wins among the standing, award-eligible ones of agents not suspended,
-- else the earliest of these. No row: there is none.
CREATE FUNCTION deciding_submission(p_challenge_id text) RETURNS TABLE (agent_id text, win boolean)
LANGUAGE sql STABLE AS $$
  SELECT s.agent_id, s.win FROM challenge_submissions s
  JOIN agent_states a ON a.agent_id = s.agent_id AND NOT a.suspended
  WHERE s.challenge_id = p_challenge_id AND s.award_eligible
  ORDER BY s.win DESC, s.submission_number LIMIT 1
$$;

-- Locks whose submission decides against a suspension, then the challenge. Submissions that were under way may come in
-- between, so whoever calls looks at the deciding submission again, under both locks. Null: there is no such challenge.
CREATE FUNCTION lock_scoring(p_challenge_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM agent_states a
    WHERE a.agent_id = (SELECT d.agent_id FROM deciding_submission(p_challenge_id) d) FOR SHARE;
  RETURN (SELECT s.vetoed_at IS NULL AND NOT s.removed
          FROM challenge_states s WHERE s.challenge_id = p_challenge_id FOR UPDATE);
END $$;

-- Settles a locked challenge: the award, every stake, its state. A null winner releases the award.
CREATE FUNCTION settle_challenge(
  p_challenge_id text, p_settled_as text, p_outcome text, p_winner_id text, p_settled_by text, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  c challenges%ROWTYPE;
  v_stakes bigint[];
  v_won boolean[];
BEGIN
  SELECT * INTO c FROM challenges WHERE challenge_id = p_challenge_id;
  SELECT coalesce(array_agg(hold_seq ORDER BY hold_seq), '{}'),
         coalesce(array_agg(outcome = p_outcome ORDER BY hold_seq), '{}')
  INTO v_stakes, v_won FROM challenge_stakes WHERE challenge_id = p_challenge_id;
  PERFORM FROM karma_settle_challenge(
    p_challenge_id, c.hold_seq, p_winner_id, c.award_micro, v_stakes, v_won, p_at);
  UPDATE challenge_states SET settled_as = p_settled_as, outcome = p_outcome, winner_id = p_winner_id,
    awarded_micro = CASE WHEN p_winner_id IS NULL THEN 0 ELSE c.award_micro END,
    settled_at = p_at, settled_by = p_settled_by
  WHERE challenge_id = p_challenge_id;
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  VALUES ('challenge.scored', p_challenge_id, false, p_at, c.declarer_id);
END $$;
`);
}
