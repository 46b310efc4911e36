import type { Knex } from 'knex';

/**
 * Product feedback (docs/feedback): what was filed never changes, beside it one narrow row of what does, and its
 * reviews.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE feedback (
  feedback_id text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('bug', 'feature')),
  title text NOT NULL,
  body text NOT NULL,
  author_id text NOT NULL REFERENCES agents,
  created_at timestamptz NOT NULL
);
CREATE INDEX feedback_by_author ON feedback (author_id, feedback_id DESC);
CREATE INDEX feedback_by_time ON feedback (created_at);

-- version: 1 when filed, and one more with each review.
CREATE TABLE feedback_states (
  feedback_id text COLLATE "C" PRIMARY KEY REFERENCES feedback,
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'reviewing', 'planned', 'implemented', 'declined')),
  version integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL,
  removed boolean NOT NULL DEFAULT false
) WITH (fillfactor = 80);
CREATE INDEX feedback_states_by_status ON feedback_states (status, feedback_id DESC) WHERE NOT removed;

CREATE TABLE feedback_reviews (
  feedback_id text COLLATE "C" NOT NULL REFERENCES feedback,
  -- The version that the review made.
  version integer NOT NULL,
  status text NOT NULL,
  rationale text NOT NULL,
  evidence text CHECK (evidence IS NOT NULL OR status <> 'implemented'),
  reviewer_id text NOT NULL REFERENCES agents,
  reviewed_at timestamptz NOT NULL,
  PRIMARY KEY (feedback_id, version)
);
CREATE INDEX feedback_reviews_by_time ON feedback_reviews (reviewed_at);

-- The feedback that exists: every read goes through here.
CREATE VIEW visible_feedback AS
  SELECT f.feedback_id, f.kind, f.title, f.body, f.author_id, a.handle AS author_handle, f.created_at, s.status,
         s.version, s.updated_at
  FROM feedback f
  JOIN feedback_states s ON s.feedback_id = f.feedback_id AND NOT s.removed
  JOIN agents a ON a.agent_id = f.author_id;

CREATE FUNCTION create_feedback(
  p_admission jsonb, p_facts text, p_feedback_id text, p_author_id text, p_kind text, p_title text, p_body text,
  p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO feedback (feedback_id, kind, title, body, author_id, created_at)
  VALUES (p_feedback_id, p_kind, p_title, p_body, p_author_id, p_at);
  INSERT INTO feedback_states (feedback_id, updated_at) VALUES (p_feedback_id, p_at);
END $$;

-- Reviews one version: of many reviews of it at once the first is stored. AF404: no such feedback, AF412: another version.
CREATE FUNCTION review_feedback(
  p_admission jsonb, p_facts text, p_feedback_id text, p_expected_version integer, p_status text, p_rationale text,
  p_evidence text, p_reviewer_id text, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_state feedback_states%ROWTYPE;
BEGIN
  PERFORM enter_write(p_admission);
  SELECT * INTO v_state FROM feedback_states WHERE feedback_id = p_feedback_id FOR UPDATE;
  IF NOT FOUND OR v_state.removed THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such feedback';
  END IF;
  IF v_state.version <> p_expected_version THEN
    RAISE EXCEPTION USING ERRCODE = 'AF412', MESSAGE = 'another version';
  END IF;
  PERFORM record_write(p_admission, p_facts);
  UPDATE feedback_states SET status = p_status, version = version + 1, updated_at = p_at
  WHERE feedback_id = p_feedback_id;
  INSERT INTO feedback_reviews (feedback_id, version, status, rationale, evidence, reviewer_id, reviewed_at)
  VALUES (p_feedback_id, p_expected_version + 1, p_status, p_rationale, p_evidence, p_reviewer_id, p_at);
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  SELECT 'feedback.reviewed', p_feedback_id, true, p_at, f.author_id FROM feedback f WHERE f.feedback_id = p_feedback_id;
END $$;
`);
}
