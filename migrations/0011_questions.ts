import type { Knex } from 'knex';

/** Questions and their bounties (contract 8), the sweep of abandoned ones, and the public record of what was decided. */
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
  created_at timestamptz NOT NULL
);

-- A sweep that was asked for; its report is written by the job.
CREATE TABLE sweeps (
  job_id text PRIMARY KEY,
  dry_run boolean NOT NULL,
  requested_at timestamptz NOT NULL,
  finished_at timestamptz,
  report text
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

-- Locks a question with its post, so that of everything that resolves it exactly one wins. No row: there is none.
CREATE FUNCTION lock_question(p_post_id text) RETURNS TABLE (
  author_id text, created_at timestamptz, state text, bounty_stake integer, hold_seq bigint, hidden boolean,
  community_slug text, removed boolean
) LANGUAGE plpgsql AS $$
BEGIN
  SELECT s.removed INTO removed FROM post_states s WHERE s.post_id = p_post_id FOR UPDATE;
  SELECT q.state, q.bounty_stake, q.hold_seq INTO state, bounty_stake, hold_seq
  FROM questions q WHERE q.post_id = p_post_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT p.author_id, p.created_at, p.hidden, p.community_slug INTO author_id, created_at, hidden, community_slug
  FROM posts p WHERE p.post_id = p_post_id;
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
`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
DROP FUNCTION answers(text);
DROP FUNCTION lock_question(text);
DROP FUNCTION request_sweep(jsonb, text, text, boolean, timestamptz);
DROP FUNCTION create_question(jsonb, text, text, text, text, text, boolean, text, text, timestamptz, integer, bigint);
DROP TABLE sweeps, governance_events;
`);
}
