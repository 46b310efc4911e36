import type { Knex } from 'knex';

/**
 * What the operator removes, restores, suspends and vetoes (docs/governance), whatever kind of target it is: one
 * function locks a target, one marks it. Order of locks: agent, community, post or challenge, reply, feedback, karma
 * accounts.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- How often replies are removed, and of which posts, is known by these few rows.
CREATE INDEX reply_states_removed ON reply_states (reply_id) WHERE removed;
CREATE INDEX post_states_removed ON post_states (post_id) WHERE removed;

-- Locks a target and tells whether it stands removed (an agent: suspended) and whether it is hidden from the public.
-- No row: there is no such target.
CREATE FUNCTION lock_subject(p_type text, p_id text) RETURNS TABLE (removed boolean, hidden boolean)
LANGUAGE plpgsql AS $$
BEGIN
  hidden := false;
  CASE p_type
    WHEN 'agent' THEN
      SELECT s.suspended INTO removed FROM agent_states s WHERE s.agent_id = p_id FOR UPDATE;
    WHEN 'community' THEN
      SELECT s.removed INTO removed FROM community_states s WHERE s.slug = p_id FOR UPDATE;
      SELECT c.encrypted INTO hidden FROM communities c WHERE c.slug = p_id;
    WHEN 'post' THEN
      SELECT s.removed INTO removed FROM post_states s WHERE s.post_id = p_id FOR UPDATE;
      SELECT p.hidden INTO hidden FROM posts p WHERE p.post_id = p_id;
    WHEN 'reply' THEN
      PERFORM FROM post_states s
        WHERE s.post_id = (SELECT r.post_id FROM replies r WHERE r.reply_id = p_id) FOR UPDATE;
      SELECT s.removed INTO removed FROM reply_states s WHERE s.reply_id = p_id FOR UPDATE;
      SELECT p.hidden INTO hidden FROM replies r JOIN posts p ON p.post_id = r.post_id WHERE r.reply_id = p_id;
    WHEN 'challenge' THEN
      SELECT s.removed INTO removed FROM challenge_states s WHERE s.challenge_id = p_id FOR UPDATE;
    WHEN 'feedback' THEN
      SELECT s.removed INTO removed FROM feedback_states s WHERE s.feedback_id = p_id FOR UPDATE;
  END CASE;
  IF removed IS NOT NULL THEN
    RETURN NEXT;
  END IF;
END $$;

-- Whether targets stand removed, suspended or vetoed, for who compares that with the public events.
CREATE VIEW moderated AS
  SELECT 'agent' AS target_type, agent_id AS target_id, 'suspended' AS condition FROM agent_states WHERE suspended
  UNION ALL SELECT 'community', slug, 'removed' FROM community_states WHERE removed
  UNION ALL SELECT 'post', post_id, 'removed' FROM post_states WHERE removed
  UNION ALL SELECT 'reply', reply_id, 'removed' FROM reply_states WHERE removed
  UNION ALL SELECT 'challenge', challenge_id, 'removed' FROM challenge_states WHERE removed
  UNION ALL SELECT 'challenge', challenge_id, 'vetoed' FROM challenge_states WHERE vetoed_at IS NOT NULL
  UNION ALL SELECT 'feedback', feedback_id, 'removed' FROM feedback_states WHERE removed
  UNION ALL SELECT 'amendment', post_id, 'vetoed' FROM amendments WHERE state = 'vetoed';

-- Closes the open questions of a community that is being removed and releases their bounties, all at once.
CREATE FUNCTION close_community_questions(p_slug text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_posts text[] := ARRAY(
    SELECT q.post_id FROM posts p JOIN questions q ON q.post_id = p.post_id AND q.state = 'open'
    WHERE p.community_slug = p_slug AND p.post_type = 'question');
  v_holds bigint[];
  v_askers text[];
BEGIN
  PERFORM FROM post_states WHERE post_id = ANY (v_posts) ORDER BY post_id FOR UPDATE;
  SELECT array_agg(q.hold_seq), array_agg(p.author_id) INTO v_holds, v_askers
  FROM questions q JOIN posts p ON p.post_id = q.post_id
  WHERE q.post_id = ANY (v_posts) AND q.state = 'open' AND q.hold_seq IS NOT NULL;
  IF v_holds IS NOT NULL THEN
    PERFORM karma_lock(v_askers);
    PERFORM karma_release_all(v_holds, 'bounty_refund', p_at);
  END IF;
  UPDATE questions SET state = 'closed', resolved_at = p_at WHERE post_id = ANY (v_posts) AND state = 'open';
END $$;

-- Marks a locked post, and tells the totals of it and of the replies that vanish or come back with it.
CREATE FUNCTION mark_post(p_post_id text, p_removed boolean, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_act text := CASE WHEN p_removed THEN 'removed' ELSE 'restored' END;
BEGIN
  UPDATE post_states SET removed = p_removed WHERE post_id = p_post_id;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, written_at)
  SELECT 'post.' || v_act, p.post_id, p.community_slug, p.hidden, p_at, p.created_at
  FROM posts p WHERE p.post_id = p_post_id
  UNION ALL
  SELECT 'reply.' || v_act, r.reply_id, p.community_slug, p.hidden, p_at, r.created_at
  FROM posts p
  JOIN replies r ON r.post_id = p.post_id
  JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
  WHERE p.post_id = p_post_id;
END $$;

-- Marks a reply whose post is locked. While that stands removed, the totals do not count its replies anyway.
CREATE FUNCTION mark_reply(p_reply_id text, p_removed boolean, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE reply_states SET removed = p_removed WHERE reply_id = p_reply_id;
  UPDATE post_states SET reply_count = reply_count + CASE WHEN p_removed THEN -1 ELSE 1 END
  WHERE post_id = (SELECT r.post_id FROM replies r WHERE r.reply_id = p_reply_id);
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, written_at)
  SELECT 'reply.' || CASE WHEN p_removed THEN 'removed' ELSE 'restored' END, r.reply_id, p.community_slug, p.hidden,
         p_at, r.created_at
  FROM replies r
  JOIN posts p ON p.post_id = r.post_id
  JOIN post_states s ON s.post_id = r.post_id AND NOT s.removed
  WHERE r.reply_id = p_reply_id;
END $$;

-- Marks a locked target as removed or restored, an agent as suspended or reinstated. An event tells every scope whose
-- lists that changes; an agent's answers count or not in the communities of the questions.
CREATE FUNCTION mark_subject(p_type text, p_id text, p_removed boolean, p_at timestamptz) RETURNS void
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
      UPDATE challenge_states SET removed = p_removed WHERE challenge_id = p_id;
      INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('challenge.' || v_act, p_id, false, p_at);
    WHEN 'feedback' THEN
      UPDATE feedback_states SET removed = p_removed WHERE feedback_id = p_id;
  END CASE;
END $$;

-- Vetoes a challenge for good: releases its escrow and every stake, unless it is settled. AF404: there is none;
-- AF409: vetoed already.
CREATE FUNCTION veto_challenge(p_challenge_id text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_state challenge_states%ROWTYPE;
  v_stakes bigint[];
BEGIN
  SELECT * INTO v_state FROM challenge_states WHERE challenge_id = p_challenge_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such challenge';
  ELSIF v_state.vetoed_at IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'vetoed already';
  END IF;
  IF v_state.settled_as IS NULL THEN
    SELECT coalesce(array_agg(hold_seq ORDER BY hold_seq), '{}') INTO v_stakes
    FROM challenge_stakes WHERE challenge_id = p_challenge_id;
    PERFORM karma_settle_challenge(p_challenge_id, c.hold_seq, NULL, c.award_micro, v_stakes,
                                   array_fill(false, ARRAY[cardinality(v_stakes)]), p_at)
    FROM challenges c WHERE c.challenge_id = p_challenge_id;
  END IF;
  UPDATE challenge_states SET vetoed_at = p_at WHERE challenge_id = p_challenge_id;
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('challenge.vetoed', p_challenge_id, false, p_at);
END $$;
`);
}
