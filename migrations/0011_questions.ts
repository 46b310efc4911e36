import type { Knex } from 'knex';

/**
 * Questions and their bounties (docs/questions), the sweep of abandoned ones, and the public record of what was
 * decided.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- Public acts of governance, newest first by id; ids of hidden targets are left out when shown.
CREATE TABLE governance_events (
  event_id text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL,
  target_type text NOT NULL,
  target_id text NOT NULL,
  hidden boolean NOT NULL,
  reason text NOT NULL,
  actor text NOT NULL CHECK (actor IN ('operator', 'community')),
  created_at timestamptz NOT NULL,
  -- What an adjustment of karma really changed, in micro-karma; null for every other act.
  amount_micro bigint
);
CREATE INDEX governance_events_of_target ON governance_events (target_type, target_id, event_id DESC);

-- A sweep that was asked for. Each outcome is stored in the transaction that brought it about, so that the report is
-- complete whoever died in between.
CREATE TABLE sweeps (
  job_id text COLLATE "C" PRIMARY KEY,
  dry_run boolean NOT NULL,
  requested_at timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE TABLE sweep_outcomes (
  job_id text COLLATE "C" NOT NULL REFERENCES sweeps,
  post_id text COLLATE "C" NOT NULL REFERENCES posts,
  -- Null: refunded to the asker.
  solving_reply_id text COLLATE "C",
  paid_to text NOT NULL,
  -- Karma.
  amount double precision NOT NULL,
  PRIMARY KEY (job_id, post_id)
);

CREATE FUNCTION create_question(
  p_admission jsonb, p_facts text, p_post_id text, p_author_id text, p_post_type text, p_community_slug text,
  p_hidden boolean, p_title text, p_body text, p_at timestamptz, p_bounty_stake integer, p_bounty_micro bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_hold bigint;
BEGIN
  PERFORM enter_write(p_admission);
  IF p_bounty_stake IS NOT NULL THEN
    -- Whoever removes the community releases the bounties that it holds then.
    PERFORM FROM community_states WHERE slug = p_community_slug AND NOT removed FOR SHARE;
    IF NOT FOUND AND p_community_slug IS NOT NULL THEN
      RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such community';
    END IF;
    v_hold := karma_hold(p_author_id, p_bounty_micro, 'bounty_escrow', p_post_id, p_at);
  END IF;
  PERFORM create_post(p_admission, p_facts, p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title,
                      p_body, p_at);
  INSERT INTO questions (post_id, bounty_stake, hold_seq) VALUES (p_post_id, p_bounty_stake, v_hold);
END $$;

CREATE FUNCTION request_sweep(p_admission jsonb, p_facts text, p_job_id text, p_dry_run boolean, p_at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO sweeps (job_id, dry_run, requested_at) VALUES (p_job_id, p_dry_run, p_at);
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('question.sweep', p_job_id, true, p_at);
END $$;

-- Locks a question, and with it the reply that is to be paid, so that of everything that resolves it exactly one wins:
-- the answerer against a suspension, then post, question, reply. No row: there is no such question.
-- visible is said for p_caller; answerer_id is null when the reply is removed or of another post.
CREATE FUNCTION lock_question(p_caller text, p_post_id text, p_reply_id text) RETURNS TABLE (
  author_id text, created_at timestamptz, state text, hold_seq bigint, hidden boolean, removed boolean,
  visible boolean, answerer_id text, answerer_suspended boolean
) LANGUAGE plpgsql AS $$
BEGIN
  SELECT r.author_id INTO answerer_id FROM replies r WHERE r.reply_id = p_reply_id AND r.post_id = p_post_id;
  SELECT a.suspended INTO answerer_suspended FROM agent_states a WHERE a.agent_id = answerer_id FOR SHARE;
  SELECT s.removed INTO removed FROM post_states s WHERE s.post_id = p_post_id FOR UPDATE;
  SELECT q.state, q.hold_seq INTO state, hold_seq FROM questions q WHERE q.post_id = p_post_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM FROM reply_states s WHERE s.reply_id = p_reply_id AND NOT s.removed FOR SHARE;
  IF NOT FOUND THEN
    answerer_id := NULL;
  END IF;
  SELECT p.author_id, p.created_at, p.hidden, lock_question.removed OR is_removed_community(p.community_slug),
         NOT p.hidden OR is_member(p_caller, p.community_slug)
  INTO author_id, created_at, hidden, removed, visible
  FROM posts p WHERE p.post_id = p_post_id;
  visible := visible AND NOT removed;
  RETURN NEXT;
END $$;

-- The answers to a question with what votes support them: counting only voters who were registered before it and are
-- neither asker nor answerer.
CREATE FUNCTION answers(p_post_id text) RETURNS TABLE (
  reply_id text, reply_number integer, author_id text, created_at timestamptz, support bigint
) LANGUAGE sql STABLE AS $$
  SELECT r.reply_id, r.reply_number, r.author_id, r.created_at, coalesce((
      SELECT sum(v.value) FROM votes v JOIN agents voter ON voter.agent_id = v.agent_id
      WHERE v.target_id = r.reply_id AND voter.registered_at < q.created_at
        AND v.agent_id NOT IN (q.author_id, r.author_id)), 0)
  FROM posts q
  JOIN replies r ON r.post_id = q.post_id AND r.author_id <> q.author_id
  JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
  JOIN agent_states a ON a.agent_id = r.author_id AND NOT a.suspended
  WHERE q.post_id = p_post_id
$$;

-- Counts again the answers to open questions, after a reply was removed or restored or its author suspended or
-- reinstated; these are locked first, in order.
CREATE FUNCTION recount_answers(p_post_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM post_states WHERE post_id = ANY (p_post_ids) ORDER BY post_id FOR UPDATE;
  UPDATE questions q SET answer_count = (SELECT count(*) FROM answers(q.post_id))
  WHERE q.post_id = ANY (p_post_ids) AND q.state = 'open';
END $$;
`);
}
