import type { Knex } from 'knex';

/**
 * The karma ledger (docs/karma#the-ledger): accounts, append-only rows, two-phase holds, the pool. Amounts are
 * micro-karma.
 *
 * Every function locks the accounts it touches before it looks, and draws `seq` while they are locked; several in one
 * transaction are preceded by `karma_lock` on all their accounts. Refusals: AF402 insufficient_karma, AF409 the hold is
 * already resolved, AF500 a call that no correct caller makes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- The decay table T of this deployment's half-life, written once at the first start.
CREATE TABLE karma_rules (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  half_life_days integer NOT NULL CHECK (half_life_days BETWEEN 1 AND 365)
);
CREATE TABLE karma_decay_factors (
  remainder integer PRIMARY KEY,
  factor numeric(19, 0) NOT NULL
);

CREATE TABLE karma_accounts (
  agent_id text PRIMARY KEY,
  grant_amount bigint NOT NULL,
  eligible_until timestamptz NOT NULL,
  grace_day integer NOT NULL,
  opened_day integer NOT NULL,
  grace bigint NOT NULL,
  main bigint NOT NULL,
  main_day integer NOT NULL,
  decayed bigint NOT NULL,
  earned_events bigint NOT NULL DEFAULT 0,
  staked_events bigint NOT NULL DEFAULT 0,
  adjustment_events bigint NOT NULL DEFAULT 0,
  CONSTRAINT karma_accounts_not_negative CHECK (least(grace, main, decayed) >= 0)
) WITH (fillfactor = 70);

-- from_account and to_account are an agent, 'pool' or 'mint'; a hold and its release stay with one agent.
-- from_grace is the part that left the starter grant, or came back to it.
CREATE TABLE karma_rows (
  seq bigint GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
  type text NOT NULL,
  from_account text NOT NULL,
  to_account text NOT NULL,
  amount bigint NOT NULL,
  day integer NOT NULL,
  from_grace bigint NOT NULL DEFAULT 0,
  reference text,
  hold_seq bigint,
  voter_id text,
  at timestamptz NOT NULL
);
CREATE INDEX karma_rows_from ON karma_rows (from_account, seq) WHERE from_account NOT IN ('mint', 'pool');
CREATE INDEX karma_rows_to ON karma_rows (to_account, seq)
  WHERE to_account NOT IN ('mint', 'pool') AND to_account <> from_account;
CREATE UNIQUE INDEX karma_rows_resolve_once ON karma_rows (hold_seq) WHERE hold_seq IS NOT NULL;

CREATE TABLE karma_holds (
  hold_seq bigint PRIMARY KEY,
  agent_id text NOT NULL,
  type text NOT NULL,
  amount bigint NOT NULL,
  from_grace bigint NOT NULL,
  day integer NOT NULL,
  reference text,
  resolved_seq bigint
) WITH (fillfactor = 90);
CREATE INDEX karma_holds_open ON karma_holds (agent_id, hold_seq) WHERE resolved_seq IS NULL;

-- What the pool holds is this row, which the folder alone writes, plus the entries that are not folded yet.
CREATE TABLE karma_pool (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  folded bigint NOT NULL CHECK (folded >= 0)
);
INSERT INTO karma_pool (folded) VALUES (0);
-- running is the sum over this transaction so far: what leaves the pool never exceeds what the same transaction posted.
CREATE TABLE karma_pool_entries (
  xact xid8 NOT NULL,
  seq bigint NOT NULL,
  amount bigint NOT NULL,
  running bigint NOT NULL CONSTRAINT karma_pool_not_negative CHECK (running >= 0),
  PRIMARY KEY (xact, seq)
);

-- The shape of a row, type by type, and its entry in the pool. One trigger without WHEN, because PostgreSQL reads the
-- text of every CHECK and WHEN again for each statement: a long CHECK made an insert cost 134 µs instead of 20.
CREATE FUNCTION karma_guard_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_from_agent boolean := NEW.from_account NOT IN ('mint', 'pool');
  v_to_agent boolean := NEW.to_account NOT IN ('mint', 'pool');
  v_hold boolean := NEW.hold_seq IS NOT NULL;
  v_fits boolean;
BEGIN
  CASE NEW.type
    WHEN 'vote_up', 'challenge_award', 'registration_grant' THEN
      v_fits := NOT v_hold AND NEW.from_account = 'mint' AND v_to_agent;
    WHEN 'bounty_escrow', 'challenge_escrow', 'stake_escrow' THEN
      v_fits := NOT v_hold AND v_from_agent AND NEW.to_account = NEW.from_account;
    WHEN 'bounty_refund', 'challenge_release', 'stake_refund' THEN
      v_fits := v_hold AND v_from_agent AND NEW.to_account = NEW.from_account;
    WHEN 'bounty_award' THEN
      v_fits := v_hold AND v_from_agent AND v_to_agent AND NEW.to_account <> NEW.from_account;
    WHEN 'vote_down' THEN
      v_fits := NOT v_hold AND v_from_agent AND NEW.to_account = 'mint';
    WHEN 'vote_reversal', 'enforcement_adjustment' THEN
      v_fits := NOT v_hold AND (NEW.from_account = 'mint' AND v_to_agent OR v_from_agent AND NEW.to_account = 'mint');
    WHEN 'bounty_forfeit', 'challenge_consume', 'stake_forfeit' THEN
      v_fits := v_hold AND v_from_agent AND NEW.to_account = 'pool';
      PERFORM karma_enter_pool(NEW.seq, NEW.amount);
    WHEN 'stake_payout' THEN
      v_fits := NOT v_hold AND NEW.from_account = 'pool' AND v_to_agent;
      PERFORM karma_enter_pool(NEW.seq, -NEW.amount);
    ELSE
      v_fits := false;
  END CASE;
  IF NOT v_fits OR NEW.from_grace < 0 OR NEW.from_grace > NEW.amount
     OR NEW.amount = 0 AND NEW.type NOT IN ('bounty_refund', 'challenge_release', 'stake_refund') THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'not a row of the karma ledger';
  END IF;
  RETURN NEW;
END $$;
-- The planner believes that this table, empty whenever it is analyzed, is best scanned: a settlement would scan its own
-- entries for each further one. Hence the settings, under which only the index is left.
CREATE FUNCTION karma_enter_pool(p_seq bigint, p_amount bigint) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
  v_running bigint;
BEGIN
  SELECT e.running INTO v_running FROM karma_pool_entries e
   WHERE e.xact = pg_current_xact_id() ORDER BY e.seq DESC LIMIT 1;
  INSERT INTO karma_pool_entries (xact, seq, amount, running)
  VALUES (pg_current_xact_id(), p_seq, p_amount, coalesce(v_running, 0) + p_amount);
END $$;
CREATE TRIGGER karma_rows_guard BEFORE INSERT ON karma_rows FOR EACH ROW EXECUTE FUNCTION karma_guard_row();

CREATE FUNCTION karma_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = TG_TABLE_NAME || ' is append-only';
END $$;
CREATE TRIGGER karma_rows_append_only BEFORE UPDATE OR DELETE ON karma_rows
  FOR EACH ROW EXECUTE FUNCTION karma_refuse_change();
CREATE TRIGGER karma_rows_no_truncate BEFORE TRUNCATE ON karma_rows
  FOR EACH STATEMENT EXECUTE FUNCTION karma_refuse_change();
CREATE TRIGGER karma_holds_keep BEFORE DELETE ON karma_holds
  FOR EACH ROW EXECUTE FUNCTION karma_refuse_change();
CREATE TRIGGER karma_holds_resolve_once BEFORE UPDATE ON karma_holds FOR EACH ROW
  WHEN (OLD.resolved_seq IS NOT NULL OR NEW.resolved_seq IS NULL
        OR (OLD.hold_seq, OLD.agent_id, OLD.type, OLD.amount, OLD.from_grace, OLD.day)
           IS DISTINCT FROM (NEW.hold_seq, NEW.agent_id, NEW.type, NEW.amount, NEW.from_grace, NEW.day))
  EXECUTE FUNCTION karma_refuse_change();

-- UTC days since 1970.
CREATE FUNCTION karma_day(p_at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT (p_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01' $$;

-- d(x, n). div() and never floor(): the quotient of two numerics is rounded before floor sees it.
CREATE FUNCTION karma_decay(p_amount bigint, p_days integer) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_half_life integer;
  v_factor numeric;
BEGIN
  IF p_days <= 0 OR p_amount = 0 THEN
    RETURN p_amount;
  END IF;
  SELECT r.half_life_days, f.factor INTO v_half_life, v_factor
    FROM karma_rules r JOIN karma_decay_factors f ON f.remainder = p_days % r.half_life_days;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'the half-life was never stored';
  END IF;
  -- 63 half-lives leave nothing of any bigint.
  IF p_days / v_half_life >= 63 THEN
    RETURN 0;
  END IF;
  RETURN div(p_amount * v_factor, 1000000000000000000 * (1::bigint << (p_days / v_half_life))::numeric);
END $$;

-- The account at p_day, which is never before its main_day.
CREATE FUNCTION karma_roll(p_account karma_accounts, p_day integer) RETURNS karma_accounts
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_left bigint;
BEGIN
  IF p_day > p_account.main_day THEN
    v_left := karma_decay(p_account.main, p_day - p_account.main_day);
    p_account.decayed := p_account.decayed + p_account.main - v_left;
    p_account.main := v_left;
    p_account.main_day := p_day;
  END IF;
  IF p_account.grace > 0 AND p_day > p_account.grace_day THEN
    v_left := karma_decay(p_account.grace, p_day - p_account.grace_day);
    p_account.decayed := p_account.decayed + p_account.grace - v_left;
    p_account.main := p_account.main + v_left;
    p_account.grace := 0;
  END IF;
  RETURN p_account;
END $$;

-- What releasing a hold on p_day gives back to the grant and to main.
CREATE FUNCTION karma_release_parts(
  p_hold karma_holds, p_grace_day integer, p_day integer, OUT to_grace bigint, OUT to_main bigint
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  to_grace := 0;
  to_main := karma_decay(p_hold.amount - p_hold.from_grace, p_day - p_hold.day);
  IF p_day <= p_grace_day THEN
    to_grace := p_hold.from_grace;
  ELSE
    to_main := to_main + karma_decay(p_hold.from_grace, p_day - p_grace_day);
  END IF;
END $$;

-- Locks accounts in their one order. Call it first when a transaction moves the karma of several agents.
CREATE FUNCTION karma_lock(p_agents text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM karma_accounts WHERE agent_id = ANY (p_agents) ORDER BY agent_id FOR NO KEY UPDATE;
END $$;

-- The locked account, rolled to the day of the row about to be written. Stores nothing.
CREATE FUNCTION karma_locked(p_agent text, p_day integer) RETURNS karma_accounts LANGUAGE plpgsql AS $$
DECLARE
  a karma_accounts;
BEGIN
  SELECT * INTO a FROM karma_accounts WHERE agent_id = p_agent FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'no karma account';
  END IF;
  RETURN karma_roll(a, greatest(p_day, a.main_day));
END $$;

CREATE FUNCTION karma_open_account(p_agent text, p_grant bigint, p_eligible_until timestamptz, p_at timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_seq bigint;
BEGIN
  INSERT INTO karma_accounts (agent_id, grant_amount, eligible_until, grace_day, opened_day, grace, main, main_day,
                              decayed, adjustment_events)
  VALUES (p_agent, p_grant, p_eligible_until, karma_day(p_eligible_until), karma_day(p_at), p_grant, 0,
          karma_day(p_at), 0, (p_grant > 0)::integer);
  IF p_grant > 0 THEN
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, at)
    VALUES ('registration_grant', 'mint', p_agent, p_grant, karma_day(p_at), p_grant, p_at) RETURNING seq INTO v_seq;
  END IF;
  RETURN v_seq;
END $$;

-- Escrows p_amount, the grant first; returns the number of the hold. AF402 when less is available.
CREATE FUNCTION karma_hold(p_agent text, p_amount bigint, p_type text, p_reference text, p_at timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  a karma_accounts := karma_locked(p_agent, karma_day(p_at));
  v_from_grace bigint := least(a.grace, p_amount);
  v_seq bigint;
BEGIN
  IF p_amount > a.grace + a.main THEN
    RAISE EXCEPTION USING ERRCODE = 'AF402', MESSAGE = 'insufficient_karma';
  END IF;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, at)
  VALUES (p_type, p_agent, p_agent, p_amount, a.main_day, v_from_grace, p_reference, p_at) RETURNING seq INTO v_seq;
  INSERT INTO karma_holds (hold_seq, agent_id, type, amount, from_grace, day, reference)
  VALUES (v_seq, p_agent, p_type, p_amount, v_from_grace, a.main_day, p_reference);
  UPDATE karma_accounts
     SET grace = a.grace - v_from_grace, main = a.main - (p_amount - v_from_grace), main_day = a.main_day,
         decayed = a.decayed, staked_events = a.staked_events + 1
   WHERE agent_id = p_agent;
  RETURN v_seq;
END $$;

-- Locks the holder's account and p_other's, then returns the hold if it is still open.
CREATE FUNCTION karma_open_hold(p_hold bigint, p_other text) RETURNS karma_holds LANGUAGE plpgsql AS $$
DECLARE
  h karma_holds;
BEGIN
  PERFORM FROM karma_accounts
    WHERE agent_id IN ((SELECT x.agent_id FROM karma_holds x WHERE x.hold_seq = p_hold), p_other)
    ORDER BY agent_id FOR NO KEY UPDATE;
  SELECT * INTO h FROM karma_holds WHERE hold_seq = p_hold FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'no such hold';
  ELSIF h.resolved_seq IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'already resolved';
  END IF;
  RETURN h;
END $$;

-- Gives a hold back, less what decayed meanwhile.
CREATE FUNCTION karma_release(p_hold bigint, p_type text, p_at timestamptz, OUT seq bigint, OUT amount bigint)
LANGUAGE plpgsql AS $$
DECLARE
  h karma_holds := karma_open_hold(p_hold, NULL);
  a karma_accounts := karma_locked(h.agent_id, greatest(karma_day(p_at), h.day));
  v_back record;
BEGIN
  SELECT * INTO v_back FROM karma_release_parts(h, a.grace_day, a.main_day);
  amount := v_back.to_grace + v_back.to_main;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, hold_seq, at)
  VALUES (p_type, h.agent_id, h.agent_id, amount, a.main_day, v_back.to_grace, h.reference, p_hold, p_at)
  RETURNING karma_rows.seq INTO seq;
  UPDATE karma_holds SET resolved_seq = seq WHERE hold_seq = p_hold;
  UPDATE karma_accounts
     SET grace = a.grace + v_back.to_grace, main = a.main + v_back.to_main, main_day = a.main_day,
         decayed = a.decayed + h.amount - amount, staked_events = a.staked_events + 1
   WHERE agent_id = h.agent_id;
END $$;

-- Pays a hold at face to an agent or to 'pool'. The payer is not rolled.
CREATE FUNCTION karma_post(p_hold bigint, p_to text, p_type text, p_at timestamptz, OUT seq bigint, OUT amount bigint)
LANGUAGE plpgsql AS $$
DECLARE
  h karma_holds := karma_open_hold(p_hold, p_to);
  v_day integer := greatest(karma_day(p_at), h.day);
  a karma_accounts;
BEGIN
  amount := h.amount;
  IF p_to <> 'pool' THEN
    a := karma_locked(p_to, v_day);
    v_day := a.main_day;
  END IF;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, hold_seq, at)
  VALUES (p_type, h.agent_id, p_to, h.amount, v_day, h.reference, p_hold, p_at) RETURNING karma_rows.seq INTO seq;
  UPDATE karma_holds SET resolved_seq = seq WHERE hold_seq = p_hold;
  IF p_to <> 'pool' THEN
    UPDATE karma_accounts
       SET grace = a.grace, main = a.main + h.amount, main_day = a.main_day, decayed = a.decayed,
           earned_events = a.earned_events + 1
     WHERE agent_id = p_to;
    UPDATE karma_accounts SET earned_events = earned_events + 1 WHERE agent_id = h.agent_id;
  ELSE
    UPDATE karma_accounts SET staked_events = staked_events + 1 WHERE agent_id = h.agent_id;
  END IF;
END $$;

-- Mints the whole award of a challenge to its winner.
CREATE FUNCTION karma_mint_award(p_to text, p_amount bigint, p_reference text, p_at timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  a karma_accounts := karma_locked(p_to, karma_day(p_at));
  v_seq bigint;
BEGIN
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, at)
  VALUES ('challenge_award', 'mint', p_to, p_amount, a.main_day, p_reference, p_at) RETURNING seq INTO v_seq;
  UPDATE karma_accounts
     SET grace = a.grace, main = a.main + p_amount, main_day = a.main_day, decayed = a.decayed,
         earned_events = a.earned_events + 1
   WHERE agent_id = p_to;
  RETURN v_seq;
END $$;

-- An operator's adjustment; a negative one takes main, then the grant, at most what is available.
-- Returns the signed change; seq is null when there was nothing to take.
CREATE FUNCTION karma_adjust(
  p_agent text, p_amount bigint, p_reference text, p_at timestamptz, OUT seq bigint, OUT amount bigint
) LANGUAGE plpgsql AS $$
DECLARE
  a karma_accounts := karma_locked(p_agent, karma_day(p_at));
  v_from_grace bigint := least(a.grace, greatest(0, -p_amount - a.main));
BEGIN
  amount := greatest(p_amount, -(a.grace + a.main));
  IF amount = 0 THEN
    RETURN;
  END IF;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, at)
  VALUES ('enforcement_adjustment', CASE WHEN amount < 0 THEN p_agent ELSE 'mint' END,
          CASE WHEN amount < 0 THEN 'mint' ELSE p_agent END, abs(amount), a.main_day, v_from_grace, p_reference, p_at)
  RETURNING karma_rows.seq INTO seq;
  UPDATE karma_accounts
     SET grace = a.grace - v_from_grace, main = a.main + amount + v_from_grace, main_day = a.main_day,
         decayed = a.decayed, adjustment_events = a.adjustment_events + 1
   WHERE agent_id = p_agent;
END $$;

-- The balance of one agent at p_at; no row for an unknown one. Stores nothing.
CREATE FUNCTION karma_figures(p_agent text, p_at timestamptz) RETURNS TABLE (
  agent_id text, grant_amount bigint, eligible_until timestamptz, grace_day integer, day integer, grace bigint,
  main bigint, escrowed_grace bigint, escrowed_main bigint, earned_events bigint, staked_events bigint,
  adjustment_events bigint
) LANGUAGE sql STABLE AS $$
  SELECT a.agent_id, a.grant_amount, a.eligible_until, a.grace_day, r.main_day, r.grace, r.main,
         e.to_grace, e.to_main, a.earned_events, a.staked_events, a.adjustment_events
    FROM karma_accounts a
    CROSS JOIN LATERAL karma_roll(a, greatest(karma_day(p_at), a.main_day)) r
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(p.to_grace), 0)::bigint AS to_grace, coalesce(sum(p.to_main), 0)::bigint AS to_main
        FROM karma_holds h CROSS JOIN LATERAL karma_release_parts(h, a.grace_day, r.main_day) p
       WHERE h.agent_id = a.agent_id AND h.resolved_seq IS NULL) e
   WHERE a.agent_id = p_agent
$$;

CREATE FUNCTION karma_pool_balance() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (p.folded + coalesce((SELECT sum(e.amount) FROM karma_pool_entries e), 0))::bigint FROM karma_pool p
$$;

-- Folds at most p_limit entries into the pool's row; returns how many. Two folders wait for each other.
CREATE FUNCTION karma_fold_pool(p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
  v_sum bigint;
BEGIN
  PERFORM FROM karma_pool FOR UPDATE;
  WITH folded AS (
    DELETE FROM karma_pool_entries e USING (
      SELECT o.xact, o.seq FROM karma_pool_entries o ORDER BY o.seq LIMIT p_limit) oldest
     WHERE e.xact = oldest.xact AND e.seq = oldest.seq RETURNING e.amount)
  SELECT count(*), coalesce(sum(folded.amount), 0) INTO v_count, v_sum FROM folded;
  UPDATE karma_pool SET folded = folded + v_sum WHERE v_count > 0;
  RETURN v_count;
END $$;
`);
}
