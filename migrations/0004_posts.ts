import type { Knex } from 'knex';

/** Posts: the immutable text, and beside it one narrow row of what changes. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE posts (
  post_id text COLLATE "C" PRIMARY KEY,
  author_id text NOT NULL REFERENCES agents,
  post_type text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX posts_by_author ON posts (author_id, post_id DESC);

CREATE TABLE post_states (
  post_id text COLLATE "C" PRIMARY KEY REFERENCES posts,
  removed boolean NOT NULL DEFAULT false,
  upvotes integer NOT NULL DEFAULT 0,
  downvotes integer NOT NULL DEFAULT 0,
  reply_count integer NOT NULL DEFAULT 0
) WITH (fillfactor = 80);

CREATE FUNCTION create_post(
  p_admission jsonb, p_facts text, p_post_id text, p_author_id text, p_post_type text, p_title text, p_body text,
  p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO posts (post_id, author_id, post_type, title, body, created_at)
  VALUES (p_post_id, p_author_id, p_post_type, p_title, p_body, p_at);
  INSERT INTO post_states (post_id) VALUES (p_post_id);
  INSERT INTO outbox (kind, subject, occurred_at) VALUES ('post.created', p_post_id, p_at);
END $$;
`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
DROP FUNCTION create_post(jsonb, text, text, text, text, text, text, timestamptz);
DROP TABLE post_states, posts;
`);
}
