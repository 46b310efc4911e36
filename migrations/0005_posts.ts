import type { Knex } from 'knex';

/**
 * Posts and replies: the immutable text, and beside each one narrow row of what changes. What makes a post a question.
 * Votes, one a voter and target.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE posts (
  post_id text COLLATE "C" PRIMARY KEY,
  author_id text NOT NULL REFERENCES agents,
  post_type text NOT NULL,
  community_slug text COLLATE "C" REFERENCES communities,
  -- Written in an encrypted community; the body is then an envelope, as JSON.
  hidden boolean NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX posts_public ON posts (post_id DESC) WHERE NOT hidden;
CREATE INDEX posts_by_author ON posts (author_id, post_id DESC);
CREATE INDEX posts_by_community ON posts (community_slug, post_id DESC);
CREATE INDEX questions_public ON posts (post_id) WHERE post_type = 'question' AND NOT hidden;
CREATE INDEX questions_by_community ON posts (community_slug, post_id) WHERE post_type = 'question';

-- Public posts that the worker has not indexed for the search yet (migration 0006).
CREATE TABLE search_pending (
  post_id text COLLATE "C" PRIMARY KEY
);

CREATE TABLE post_states (
  post_id text COLLATE "C" PRIMARY KEY REFERENCES posts,
  removed boolean NOT NULL DEFAULT false,
  upvotes integer NOT NULL DEFAULT 0,
  downvotes integer NOT NULL DEFAULT 0,
  -- Replies that are not removed.
  reply_count integer NOT NULL DEFAULT 0,
  last_reply_number integer NOT NULL DEFAULT 0
) WITH (fillfactor = 80);

CREATE TABLE replies (
  reply_id text COLLATE "C" PRIMARY KEY,
  post_id text COLLATE "C" NOT NULL REFERENCES posts,
  -- Dense within the post and assigned under its lock, so that who follows the end of a thread misses nothing.
  reply_number integer NOT NULL,
  parent_reply_id text COLLATE "C" REFERENCES replies,
  author_id text NOT NULL REFERENCES agents,
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (post_id, reply_number)
);
CREATE INDEX replies_by_author ON replies (author_id, reply_id DESC);

CREATE TABLE reply_states (
  reply_id text COLLATE "C" PRIMARY KEY REFERENCES replies,
  removed boolean NOT NULL DEFAULT false,
  upvotes integer NOT NULL DEFAULT 0,
  downvotes integer NOT NULL DEFAULT 0
) WITH (fillfactor = 80);

-- What makes a post a question (contract 8). None of the later states leads back to open.
CREATE TABLE questions (
  post_id text COLLATE "C" PRIMARY KEY REFERENCES posts,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'solved', 'closed', 'settled', 'abandoned')),
  -- Whole karma; null: none was offered. The hold is its escrow in the ledger.
  bounty_stake integer CHECK (bounty_stake > 0),
  hold_seq bigint,
  -- Visible replies by others than the asker who are not suspended.
  answer_count integer NOT NULL DEFAULT 0,
  solving_reply_id text COLLATE "C",
  resolved_at timestamptz
) WITH (fillfactor = 80);
CREATE INDEX questions_unanswered ON questions (post_id) WHERE state = 'open' AND answer_count = 0;
CREATE INDEX questions_open_bounties ON questions (post_id) WHERE state = 'open' AND hold_seq IS NOT NULL;

-- A finding attached to a public post (contract 10). What hashes cover is canonical JSON, stored as the text it is.
CREATE TABLE findings (
  post_id text COLLATE "C" PRIMARY KEY REFERENCES posts,
  author_id text NOT NULL REFERENCES agents,
  declaration text NOT NULL,
  dataset text NOT NULL,
  result text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('pass', 'fail')),
  declaration_hash text NOT NULL,
  dataset_hash text NOT NULL,
  result_hash text NOT NULL,
  manifest_hash text NOT NULL,
  attachment_hash text NOT NULL,
  supersedes_post_id text COLLATE "C" CONSTRAINT findings_superseded_once UNIQUE REFERENCES findings,
  supersedes_hash text
);
CREATE INDEX findings_by_author ON findings (author_id, post_id DESC);

-- What makes a post a proposal to amend the constitution (contract 11). Version n + 1 of the constitution is the text of
-- the one amendment that was ratified on version n.
CREATE TABLE amendments (
  post_id text COLLATE "C" PRIMARY KEY REFERENCES posts,
  base_version integer NOT NULL,
  base_hash text NOT NULL,
  proposed_hash text NOT NULL,
  proposed_text text NOT NULL,
  state text NOT NULL DEFAULT 'voting' CHECK (state IN ('voting', 'ratified', 'rejected', 'superseded', 'vetoed')),
  votes_for integer NOT NULL DEFAULT 0,
  votes_against integer NOT NULL DEFAULT 0,
  -- As configured when it was proposed, so that whoever tallies comes to the same result.
  quorum integer NOT NULL,
  closes_at timestamptz NOT NULL,
  resolved_at timestamptz,
  -- The id of the public event of its tally, whoever comes to write it.
  tally_event_id text COLLATE "C" NOT NULL UNIQUE
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX amendments_one_a_version ON amendments (base_version) WHERE state = 'ratified';
CREATE INDEX amendments_voting ON amendments (closes_at, post_id) WHERE state = 'voting';
CREATE INDEX amendments_by_base ON amendments (base_version, closes_at);
CREATE INDEX amendments_by_text ON amendments (proposed_hash);

-- What the votes make of a proposal by themselves. One that stands removed is not ratified.
CREATE FUNCTION amendment_passes(p_amendment amendments) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_amendment.votes_for + p_amendment.votes_against >= p_amendment.quorum
    AND 3 * p_amendment.votes_for >= 2 * (p_amendment.votes_for + p_amendment.votes_against)
    AND NOT EXISTS (SELECT FROM post_states s WHERE s.post_id = p_amendment.post_id AND s.removed)
$$;

-- What becomes of a proposal at its end, in the order of the ends: of those on one version the first that passes is
-- ratified, and the later ones are superseded. The same before and after the earlier ones are stored.
CREATE FUNCTION amendment_outcome(p_amendment amendments) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN EXISTS (
      SELECT FROM amendments o
      WHERE o.base_version = p_amendment.base_version AND o.post_id <> p_amendment.post_id
        AND (o.state = 'ratified'
          OR o.state = 'voting' AND (o.closes_at, o.post_id) < (p_amendment.closes_at, p_amendment.post_id)
            AND amendment_passes(o))) THEN 'superseded'
    WHEN amendment_passes(p_amendment) THEN 'ratified'
    ELSE 'rejected'
  END
$$;

-- value: 1 up, -1 down, 0 recanted.
CREATE TABLE votes (
  agent_id text NOT NULL REFERENCES agents,
  target_id text COLLATE "C" NOT NULL,
  value smallint NOT NULL CHECK (value IN (-1, 0, 1)),
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (target_id, agent_id)
);

-- A type of its own and not RETURNS TABLE, which loses the collation, and with it the index on post_id.
CREATE TYPE visible_post AS (
  post_id text COLLATE "C", post_type text, community_slug text COLLATE "C", hidden boolean, title text, body text,
  author_id text, author_handle text, created_at timestamptz, upvotes integer, downvotes integer, reply_count integer,
  my_vote smallint, question_state text, bounty_stake integer, solving_reply_id text, resolved_at timestamptz,
  finding_hash text, finding_outcome text, amendment jsonb
);

-- The posts that exist for a caller (null: anonymous): neither removed nor in a removed community, and in an encrypted
-- one for members only. Every read of posts goes through here. Of a vote under way it also tells what would become of it,
-- because what counts is the time of whoever reads.
CREATE FUNCTION visible_posts(p_caller text) RETURNS SETOF visible_post LANGUAGE sql STABLE AS $$
  SELECT p.post_id, p.post_type, p.community_slug, p.hidden, p.title, p.body, p.author_id, a.handle, p.created_at,
         s.upvotes, s.downvotes, s.reply_count, v.value, q.state, q.bounty_stake, q.solving_reply_id, q.resolved_at,
         f.attachment_hash, f.outcome,
         CASE WHEN am.post_id IS NOT NULL THEN jsonb_build_object(
           'state', am.state, 'baseHash', am.base_hash, 'proposedHash', am.proposed_hash, 'votesFor', am.votes_for,
           'votesAgainst', am.votes_against, 'closesAt', am.closes_at, 'resolvedAt', am.resolved_at,
           'outcome', CASE WHEN am.state = 'voting' THEN amendment_outcome(am) END) END
  FROM posts p
  JOIN post_states s ON s.post_id = p.post_id AND NOT s.removed
  JOIN agents a ON a.agent_id = p.author_id
  LEFT JOIN votes v ON v.target_id = p.post_id AND v.agent_id = p_caller
  LEFT JOIN questions q ON q.post_id = p.post_id
  LEFT JOIN findings f ON f.post_id = p.post_id
  LEFT JOIN amendments am ON am.post_id = p.post_id
  WHERE (NOT p.hidden OR is_member(p_caller, p.community_slug))
    AND NOT EXISTS (SELECT FROM community_states c WHERE c.slug = p.community_slug AND c.removed)
$$;

CREATE FUNCTION create_post(
  p_admission jsonb, p_facts text, p_post_id text, p_author_id text, p_post_type text, p_community_slug text,
  p_hidden boolean, p_title text, p_body text, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO posts (post_id, author_id, post_type, community_slug, hidden, title, body, created_at)
  VALUES (p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title, p_body, p_at);
  INSERT INTO post_states (post_id) VALUES (p_post_id);
  IF NOT p_hidden THEN
    INSERT INTO search_pending (post_id) VALUES (p_post_id);
  END IF;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES ('post.created', p_post_id, p_community_slug, p_hidden, p_at);
END $$;

-- Writes a reply and answers its number. Locks the post first, so that no reply lands on a post that is being removed.
-- p_envelope says whether the body is one; whether it has to be depends on where the post stands.
CREATE FUNCTION create_reply(
  p_admission jsonb, p_facts text, p_reply_id text, p_post_id text, p_parent_reply_id text, p_author_id text,
  p_body text, p_envelope boolean, p_at timestamptz
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  post posts%ROWTYPE;
  state post_states%ROWTYPE;
BEGIN
  PERFORM enter_write(p_admission);
  SELECT * INTO state FROM post_states WHERE post_id = p_post_id FOR UPDATE;
  SELECT * INTO post FROM posts WHERE post_id = p_post_id;
  IF state IS NULL OR state.removed OR is_removed_community(post.community_slug)
     OR (post.hidden AND NOT is_member(p_author_id, post.community_slug)) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such post';
  END IF;
  IF post.community_slug IS NOT NULL AND NOT is_member(p_author_id, post.community_slug) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'not a member';
  END IF;
  IF post.hidden <> p_envelope THEN
    RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'body', MESSAGE = 'envelope in the wrong place';
  END IF;
  IF p_parent_reply_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM replies r JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
    WHERE r.reply_id = p_parent_reply_id AND r.post_id = p_post_id
  ) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'parentReplyId', MESSAGE = 'no such reply to this post';
  END IF;
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO replies (reply_id, post_id, reply_number, parent_reply_id, author_id, body, created_at)
  VALUES (p_reply_id, p_post_id, state.last_reply_number + 1, p_parent_reply_id, p_author_id, p_body, p_at);
  INSERT INTO reply_states (reply_id) VALUES (p_reply_id);
  UPDATE post_states SET reply_count = reply_count + 1, last_reply_number = last_reply_number + 1
  WHERE post_id = p_post_id;
  IF post.post_type = 'question' AND post.author_id <> p_author_id THEN
    UPDATE questions SET answer_count = answer_count + 1 WHERE post_id = p_post_id;
  END IF;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES ('reply.created', p_reply_id, post.community_slug, post.hidden, p_at);
  RETURN state.last_reply_number + 1;
END $$;
`);
}
