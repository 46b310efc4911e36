import type { Knex } from 'knex';

/** Voting: lock the target and look, decide outside, write once (docs/karma#votes). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- Locks the counts of a post or reply and tells what decides a vote on it: no row for a target that does not exist for
-- the voter. A reply of a removed post is as invisible as the post.
CREATE FUNCTION lock_vote_target(p_voter_id text, p_target_id text) RETURNS TABLE (
  author_id text, community_slug text, hidden boolean, upvotes integer, downvotes integer, held smallint,
  changed_at timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
  v_removed boolean;
  v_post_id text := p_target_id;
BEGIN
  IF starts_with(p_target_id, 'r_') THEN
    SELECT s.removed, s.upvotes, s.downvotes INTO v_removed, upvotes, downvotes
    FROM reply_states s WHERE s.reply_id = p_target_id FOR UPDATE;
    SELECT r.post_id, r.author_id INTO v_post_id, author_id FROM replies r WHERE r.reply_id = p_target_id;
    v_removed := v_removed OR (SELECT s.removed FROM post_states s WHERE s.post_id = v_post_id);
  ELSE
    SELECT s.removed, s.upvotes, s.downvotes INTO v_removed, upvotes, downvotes
    FROM post_states s WHERE s.post_id = p_target_id FOR UPDATE;
    SELECT p.author_id INTO author_id FROM posts p WHERE p.post_id = p_target_id;
  END IF;
  SELECT p.community_slug, p.hidden INTO community_slug, hidden FROM posts p WHERE p.post_id = v_post_id;
  IF v_removed IS NOT FALSE OR is_removed_community(community_slug) OR (hidden AND NOT is_member(p_voter_id, community_slug)) THEN
    RETURN;
  END IF;
  SELECT v.value, v.changed_at INTO held, changed_at FROM votes v
  WHERE v.target_id = p_target_id AND v.agent_id = p_voter_id;
  RETURN NEXT;
END $$;

-- Writes a vote that was decided under the lock of the target: p_value is 1, -1 or 0 (recanted), p_held what it was.
CREATE FUNCTION write_vote(
  p_admission jsonb, p_facts text, p_voter_id text, p_target_id text, p_held smallint, p_value smallint,
  p_community_slug text, p_hidden boolean, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_up integer := (p_value = 1)::integer - (p_held = 1)::integer;
  v_down integer := (p_value = -1)::integer - (p_held = -1)::integer;
BEGIN
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO votes AS v (agent_id, target_id, value, changed_at) VALUES (p_voter_id, p_target_id, p_value, p_at)
  ON CONFLICT (target_id, agent_id) DO UPDATE SET value = EXCLUDED.value, changed_at = EXCLUDED.changed_at;
  IF starts_with(p_target_id, 'r_') THEN
    UPDATE reply_states SET upvotes = upvotes + v_up, downvotes = downvotes + v_down WHERE reply_id = p_target_id;
  ELSE
    UPDATE post_states SET upvotes = upvotes + v_up, downvotes = downvotes + v_down WHERE post_id = p_target_id;
  END IF;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES (CASE p_value WHEN 0 THEN 'vote.recanted' ELSE 'vote.cast' END, p_target_id, p_community_slug, p_hidden, p_at);
END $$;
`);
}
