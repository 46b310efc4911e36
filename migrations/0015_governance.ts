import type { Knex } from 'knex';

/**
 * Amendments and reports (docs/governance). The table of amendments stands beside the posts (migration 0005), which
 * show a summary of it; the constitution is what the ratified ones made of it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE amendment_votes (
  post_id text COLLATE "C" NOT NULL REFERENCES amendments,
  agent_id text NOT NULL REFERENCES agents,
  in_favour boolean NOT NULL,
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (post_id, agent_id)
);

-- Reporters are shown to nobody but the operator.
CREATE TABLE reports (
  report_id text COLLATE "C" PRIMARY KEY,
  reporter_id text NOT NULL REFERENCES agents,
  target_type text NOT NULL,
  target_id text COLLATE "C" NOT NULL,
  category text NOT NULL,
  details text,
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'actioned', 'dismissed')),
  created_at timestamptz NOT NULL,
  resolved_at timestamptz,
  -- Why it was dismissed; the reason of an action is in its public event.
  resolution text,
  CONSTRAINT reports_once UNIQUE (target_type, target_id, reporter_id)
) WITH (fillfactor = 90);
CREATE INDEX reports_by_status ON reports (status, report_id DESC);

CREATE FUNCTION tally_reason(p_amendment amendments) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format('%s for and %s against version %s; the quorum was %s.', p_amendment.votes_for,
                p_amendment.votes_against, p_amendment.base_version, p_amendment.quorum)
$$;

-- Amendments whose end has come and whose outcome is not stored yet, as whoever reads at p_at sees them.
CREATE FUNCTION due_amendments(p_at timestamptz) RETURNS TABLE (amendment amendments, outcome text)
LANGUAGE sql STABLE AS $$
  SELECT a, amendment_outcome(a) FROM amendments a WHERE a.state = 'voting' AND a.closes_at <= p_at
$$;

-- Stores the outcome of every amendment whose end has come, in the order of the ends, and answers how many that were.
CREATE FUNCTION settle_amendments(p_at timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_due text[];
  v_post_id text;
  v_settled integer := 0;
BEGIN
  -- Locked first, all of them and in order, then looked at.
  SELECT array_agg(d.post_id) INTO v_due FROM (
    SELECT post_id FROM amendments WHERE state = 'voting' AND closes_at <= p_at ORDER BY closes_at, post_id FOR UPDATE
  ) d;
  FOREACH v_post_id IN ARRAY coalesce(v_due, '{}') LOOP
    WITH settled AS (
      UPDATE amendments a SET state = amendment_outcome(a), resolved_at = a.closes_at
      WHERE a.post_id = v_post_id AND a.state = 'voting' RETURNING a AS amendment
    )
    INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
    SELECT (amendment).tally_event_id, 'amendment_' || (amendment).state, 'amendment', v_post_id, false,
           tally_reason(amendment), 'community', (amendment).closes_at
    FROM settled;
    INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('amendment.settled', v_post_id, false, p_at);
    v_settled := v_settled + 1;
  END LOOP;
  RETURN v_settled;
END $$;

-- Proposes an amendment: what create_post takes, then the amendment and the id of the event that tells of it.
CREATE FUNCTION create_amendment(
  p_admission jsonb, p_facts text, p_post_id text, p_author_id text, p_post_type text, p_community_slug text,
  p_hidden boolean, p_title text, p_body text, p_at timestamptz, p_base_version integer, p_base_hash text,
  p_proposed_hash text, p_proposed_text text, p_quorum integer, p_closes_at timestamptz, p_tally_event_id text,
  p_event_id text
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM create_post(p_admission, p_facts, p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title,
                      p_body, p_at);
  INSERT INTO amendments (post_id, base_version, base_hash, proposed_hash, proposed_text, quorum, closes_at,
    tally_event_id)
  VALUES (p_post_id, p_base_version, p_base_hash, p_proposed_hash, p_proposed_text, p_quorum, p_closes_at,
    p_tally_event_id);
  INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
  VALUES (p_event_id, 'amendment_proposed', 'amendment', p_post_id, false,
          format('Proposed to amend version %s.', p_base_version), 'community', p_at);
END $$;

-- Locks a visible amendment and tells what decides a vote on it. No row: there is none for anybody.
CREATE FUNCTION lock_amendment(p_post_id text, p_voter_id text) RETURNS TABLE (
  state text, closes_at timestamptz, votes_for integer, votes_against integer, in_favour boolean, eligible boolean
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM post_states s WHERE s.post_id = p_post_id AND NOT s.removed FOR SHARE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT a.state, a.closes_at, a.votes_for, a.votes_against INTO state, closes_at, votes_for, votes_against
  FROM amendments a WHERE a.post_id = p_post_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT v.in_favour INTO in_favour FROM amendment_votes v WHERE v.post_id = p_post_id AND v.agent_id = p_voter_id;
  SELECT voter.registered_at < p.created_at INTO eligible
  FROM posts p, agents voter WHERE p.post_id = p_post_id AND voter.agent_id = p_voter_id;
  RETURN NEXT;
END $$;

-- Writes a vote that was decided under the lock of the amendment; p_held is what it was, null for none.
CREATE FUNCTION write_amendment_vote(
  p_admission jsonb, p_facts text, p_post_id text, p_voter_id text, p_held boolean, p_in_favour boolean, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO amendment_votes (post_id, agent_id, in_favour, changed_at)
  VALUES (p_post_id, p_voter_id, p_in_favour, p_at)
  ON CONFLICT (post_id, agent_id) DO UPDATE SET in_favour = EXCLUDED.in_favour, changed_at = EXCLUDED.changed_at;
  UPDATE amendments SET
    votes_for = votes_for + p_in_favour::integer - coalesce(p_held, false)::integer,
    votes_against = votes_against + (NOT p_in_favour)::integer - coalesce(NOT p_held, false)::integer
  WHERE post_id = p_post_id;
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('amendment.voted', p_post_id, false, p_at);
END $$;

CREATE FUNCTION veto_amendment(p_post_id text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE amendments SET state = 'vetoed', resolved_at = p_at WHERE post_id = p_post_id;
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('amendment.vetoed', p_post_id, false, p_at);
END $$;
`);
}
