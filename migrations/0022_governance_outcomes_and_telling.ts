import type { Knex } from 'knex';

/**
 * What the audit of release 1 found of governance: an outcome that was read once never changes, a removed challenge frees
 * its karma, and who is moderated is told.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- The service's time: the database's, and by how much the process that asks has moved its clock (0 but in tests).
CREATE FUNCTION service_time(p_ahead_ms double precision) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT clock_timestamp() + p_ahead_ms * interval '1 millisecond'
$$;

-- Beside the one of release 1, and tells whether a ballot counts: by the time at which the lock is held, however long it was
-- waited for.
CREATE FUNCTION lock_amendment(p_post_id text, p_voter_id text, p_ahead_ms double precision) RETURNS TABLE (
  is_open boolean, votes_for integer, votes_against integer, in_favour boolean, eligible boolean
) LANGUAGE plpgsql AS $$
DECLARE
  a amendments%ROWTYPE;
BEGIN
  PERFORM FROM post_states s WHERE s.post_id = p_post_id AND NOT s.removed FOR SHARE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO a FROM amendments WHERE post_id = p_post_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  is_open := a.state = 'voting' AND service_time(p_ahead_ms) < a.closes_at;
  votes_for := a.votes_for;
  votes_against := a.votes_against;
  SELECT v.in_favour INTO in_favour FROM amendment_votes v WHERE v.post_id = p_post_id AND v.agent_id = p_voter_id;
  SELECT voter.registered_at < p.created_at INTO eligible
  FROM posts p, agents voter WHERE p.post_id = p_post_id AND voter.agent_id = p_voter_id;
  RETURN NEXT;
END $$;

-- Locks a proposal, removed or not, for what decides about it, and answers its state at the time at which the lock is
-- held: an end that has come by then goes first. Null: the post proposes nothing. Whoever also locks the post does that
-- before, like a ballot.
CREATE FUNCTION lock_proposal(p_post_id text, p_ahead_ms double precision) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  a amendments%ROWTYPE;
BEGIN
  PERFORM settle_amendments(service_time(p_ahead_ms));
  SELECT * INTO a FROM amendments WHERE post_id = p_post_id FOR UPDATE;
  IF a.state = 'voting' AND a.closes_at <= service_time(p_ahead_ms) THEN
    PERFORM settle_amendments(a.closes_at);
    SELECT * INTO a FROM amendments WHERE post_id = p_post_id;
  END IF;
  RETURN a.state;
END $$;

-- Waits for every ballot, veto and removal that was admitted before the ends that came by p_at: afterwards nothing can
-- change what follows from them. A process whose clock is a little ahead of the database's waits for that little first.
CREATE FUNCTION await_amendments(p_at timestamptz, p_ahead_ms double precision) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_sleep(greatest(0, extract(epoch FROM max(closes_at) - service_time(p_ahead_ms))))
  FROM amendments WHERE state = 'voting' AND closes_at <= p_at;
  PERFORM FROM amendments WHERE state = 'voting' AND closes_at <= p_at ORDER BY closes_at, post_id FOR SHARE;
END $$;

-- Gives back what a locked challenge holds: the award to its declarer, every stake to its staker.
CREATE FUNCTION release_challenge(p_challenge_id text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_stakes bigint[] := ARRAY(
    SELECT hold_seq FROM challenge_stakes WHERE challenge_id = p_challenge_id ORDER BY hold_seq);
BEGIN
  PERFORM karma_settle_challenge(p_challenge_id, c.hold_seq, NULL, c.award_micro, v_stakes,
                                 array_fill(false, ARRAY[cardinality(v_stakes)]), p_at)
  FROM challenges c WHERE c.challenge_id = p_challenge_id;
END $$;

-- Makes a locked challenge void, unless it is settled or vetoed. Nobody scored it, so nobody is named.
CREATE FUNCTION void_challenge(p_challenge_id text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE challenge_states SET settled_as = 'void', outcome = 'void', settled_at = p_at
  WHERE challenge_id = p_challenge_id AND settled_as IS NULL AND vetoed_at IS NULL;
  IF FOUND THEN
    PERFORM release_challenge(p_challenge_id, p_at);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION veto_challenge(p_challenge_id text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_state challenge_states%ROWTYPE;
BEGIN
  SELECT * INTO v_state FROM challenge_states WHERE challenge_id = p_challenge_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such challenge';
  ELSIF v_state.vetoed_at IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'vetoed already';
  END IF;
  IF v_state.settled_as IS NULL THEN
    PERFORM release_challenge(p_challenge_id, p_at);
  END IF;
  UPDATE challenge_states SET vetoed_at = p_at WHERE challenge_id = p_challenge_id;
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('challenge.vetoed', p_challenge_id, false, p_at);
END $$;

-- Marks a locked challenge. One that is not scored is void from its removal on; a veto is for good (AF409).
CREATE FUNCTION mark_challenge(p_challenge_id text, p_removed boolean, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE challenge_states SET removed = p_removed
  WHERE challenge_id = p_challenge_id AND (p_removed OR vetoed_at IS NULL);
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'vetoed';
  END IF;
  IF p_removed THEN
    PERFORM void_challenge(p_challenge_id, p_at);
  END IF;
  INSERT INTO outbox (kind, subject, hidden, occurred_at)
  VALUES ('challenge.' || CASE WHEN p_removed THEN 'removed' ELSE 'restored' END, p_challenge_id, false, p_at);
END $$;

-- As before but for challenges.
CREATE OR REPLACE FUNCTION mark_subject(p_type text, p_id text, p_removed boolean, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_act text := CASE WHEN p_removed THEN 'removed' ELSE 'restored' END;
BEGIN
  CASE p_type
    WHEN 'agent' THEN
      UPDATE agent_states SET suspended = p_removed WHERE agent_id = p_id;
      INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
      SELECT 'agent.' || v_act, p_id, NULL, false, p_at
      UNION ALL
      SELECT DISTINCT 'agent.' || v_act, p_id, p.community_slug, true, p_at
      FROM replies r
      JOIN questions q ON q.post_id = r.post_id AND q.state = 'open'
      JOIN posts p ON p.post_id = r.post_id
      WHERE r.author_id = p_id AND p.community_slug IS NOT NULL;
    WHEN 'community' THEN
      UPDATE community_states SET removed = p_removed WHERE slug = p_id;
      IF p_removed THEN
        PERFORM close_community_questions(p_id, p_at);
      END IF;
      INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
      SELECT 'community.' || v_act, p_id, p_id, c.encrypted, p_at FROM communities c WHERE c.slug = p_id;
    WHEN 'post' THEN
      PERFORM mark_post(p_id, p_removed, p_at);
    WHEN 'reply' THEN
      PERFORM mark_reply(p_id, p_removed, p_at);
    WHEN 'challenge' THEN
      PERFORM mark_challenge(p_id, p_removed, p_at);
    WHEN 'feedback' THEN
      UPDATE feedback_states SET removed = p_removed WHERE feedback_id = p_id;
  END CASE;
END $$;

-- Whom an act on a target concerns: the agent itself, or who wrote, founded, declared or filed the target.
CREATE FUNCTION agent_concerned(p_type text, p_id text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE p_type
    WHEN 'agent' THEN p_id
    WHEN 'community' THEN (SELECT created_by FROM communities WHERE slug = p_id)
    WHEN 'post' THEN (SELECT author_id FROM posts WHERE post_id = p_id)
    WHEN 'reply' THEN (SELECT author_id FROM replies WHERE reply_id = p_id)
    WHEN 'challenge' THEN (SELECT declarer_id FROM challenges WHERE challenge_id = p_id)
    WHEN 'feedback' THEN (SELECT author_id FROM feedback WHERE feedback_id = p_id)
  END
$$;

-- Whoever records the act, the agent concerned is told. The pointer leads to the public event, which names no hidden
-- target, so it asks for no membership.
CREATE FUNCTION tell_moderation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  VALUES ('moderation.recorded', NEW.event_id, true, NEW.created_at, agent_concerned(NEW.target_type, NEW.target_id));
  RETURN NULL;
END $$;
CREATE TRIGGER governance_events_told AFTER INSERT ON governance_events FOR EACH ROW
  WHEN (NEW.kind IN ('remove_content', 'restore_content', 'suspend_agent', 'reinstate_agent'))
  EXECUTE FUNCTION tell_moderation();
-- Silent until 0027, from when on processes of release 1, which know no such pointer, see none.
ALTER TABLE governance_events DISABLE TRIGGER governance_events_told;

-- As before, and what tells of moderation.
CREATE OR REPLACE FUNCTION inbox_pointers(p_events outbox[]) RETURNS TABLE (
  outbox_id bigint, agent_id text, type text, subject text, at timestamptz
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  SELECT p.outbox_id, p.agent_id, p.type, p.subject, p.occurred_at
  FROM (
    SELECT e.*, coalesce(parent.author_id, post.author_id) AS agent_id, 'reply' AS type, reply.author_id AS actor_id
    FROM unnest(p_events) e
    JOIN replies reply ON reply.reply_id = e.subject
    JOIN posts post ON post.post_id = reply.post_id
    LEFT JOIN replies parent ON parent.reply_id = reply.parent_reply_id
    WHERE e.kind = 'reply.created'
    UNION ALL
    SELECT e.*, e.recipient, t.type, NULL
    FROM unnest(p_events) e
    JOIN (VALUES ('reply.solving', 'solving'), ('karma.moved', 'karma'), ('challenge.submitted', 'challenge_submission'),
                 ('challenge.scored', 'challenge_scored'), ('feedback.reviewed', 'feedback_review'),
                 ('moderation.recorded', 'moderation')) t (kind, type)
      ON t.kind = e.kind
    WHERE e.recipient IS NOT NULL
  ) p
  WHERE p.agent_id IS DISTINCT FROM p.actor_id
    AND (NOT p.hidden OR p.community_slug IS NULL OR is_member(p.agent_id, p.community_slug));
END $$;

-- The stored copy of the briefing holds challenges whole; it is computed anew.
DELETE FROM aggregates WHERE scope = '';
INSERT INTO stale_aggregates (scope) VALUES ('') ON CONFLICT DO NOTHING;

-- What release 1 removed with its karma held.
SELECT void_challenge(challenge_id, clock_timestamp()) FROM challenge_states WHERE removed ORDER BY challenge_id;
`);
}
