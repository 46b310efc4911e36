import type { Knex } from 'knex';

/**
 * Evidence of every write, from here on; and events that whoever writes tells of itself, where triggers did. Those stay
 * for processes of release 1 beside it, and say nothing in the transactions of others (`mute_triggers`).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- Who wrote what, for whoever trusts nobody: private, and read by nothing yet. What is written without it can never get it.
CREATE SEQUENCE evidence_ids;
CREATE TABLE write_evidence (
  evidence_id bigint NOT NULL DEFAULT nextval('evidence_ids'),
  accepted_at timestamptz NOT NULL,
  agent_id text NOT NULL,
  operation text NOT NULL,
  -- 128 random bits: a commitment to the rest tells nothing.
  salt bytea NOT NULL,
  -- The very text that verified, and its signature in base64url.
  signed_text text NOT NULL,
  signature text NOT NULL,
  -- The exact bytes of the body.
  body bytea NOT NULL,
  -- What became of it: ids, as a flat object of JSON.
  facts text NOT NULL
) PARTITION BY RANGE (accepted_at);
-- For times that nobody has made a month for; create_evidence_months keeps it empty.
CREATE TABLE write_evidence_default PARTITION OF write_evidence DEFAULT;

DROP TRIGGER agents_searchable ON agents;
CREATE TRIGGER agents_searchable AFTER INSERT ON agents FOR EACH ROW
  WHEN (current_setting('forum.triggers', true) IS DISTINCT FROM 'muted') EXECUTE FUNCTION add_agent_to_search();
DROP TRIGGER karma_rows_told ON karma_rows;
CREATE TRIGGER karma_rows_told AFTER INSERT ON karma_rows FOR EACH ROW
  WHEN (current_setting('forum.triggers', true) IS DISTINCT FROM 'muted') EXECUTE FUNCTION tell_karma_moved();
DROP TRIGGER questions_announce_asked ON questions;
CREATE TRIGGER questions_announce_asked AFTER INSERT ON questions FOR EACH ROW
  WHEN (current_setting('forum.triggers', true) IS DISTINCT FROM 'muted') EXECUTE FUNCTION announce_question();
DROP TRIGGER questions_announce_resolved ON questions;
CREATE TRIGGER questions_announce_resolved AFTER UPDATE OF state ON questions FOR EACH ROW
  WHEN (OLD.state = 'open' AND NEW.state <> 'open' AND current_setting('forum.triggers', true) IS DISTINCT FROM 'muted')
  EXECUTE FUNCTION announce_question();
DROP TRIGGER questions_solving_told ON questions;
CREATE TRIGGER questions_solving_told AFTER UPDATE OF solving_reply_id ON questions FOR EACH ROW
  WHEN (NEW.solving_reply_id IS NOT NULL AND OLD.solving_reply_id IS NULL
        AND current_setting('forum.triggers', true) IS DISTINCT FROM 'muted')
  EXECUTE FUNCTION tell_solving();
DROP TRIGGER governance_events_told ON governance_events;
CREATE TRIGGER governance_events_told AFTER INSERT ON governance_events FOR EACH ROW
  WHEN (NEW.kind IN ('remove_content', 'restore_content', 'suspend_agent', 'reinstate_agent')
        AND current_setting('forum.triggers', true) IS DISTINCT FROM 'muted')
  EXECUTE FUNCTION tell_moderation();
ALTER TABLE governance_events DISABLE TRIGGER governance_events_told;

-- For processes of release 1, where an earlier form of migration 0022 removed it.
CREATE OR REPLACE FUNCTION lock_amendment(p_post_id text, p_voter_id text) RETURNS TABLE (
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
`);
}
