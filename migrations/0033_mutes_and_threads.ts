import type { Knex } from 'knex';

/**
 * What agents do not want to hear of, and who is told when others write on in a thread: whoever replied there. A trigger keeps
 * them, so that replies of processes of the release before count too. The other functions are the release's own.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- The id of an agent, whose mentions and thread events are not told, or of a post, whose thread is left.
CREATE TABLE mutes (
  agent_id text NOT NULL REFERENCES agents,
  target_id text COLLATE "C" NOT NULL,
  muted_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, target_id)
);
CREATE INDEX mutes_newest ON mutes (agent_id, muted_at, target_id);

CREATE TABLE thread_followers (
  post_id text COLLATE "C" NOT NULL,
  agent_id text NOT NULL,
  -- Of the first reply of the agent there: nobody is told of what was written before.
  first_number integer NOT NULL,
  -- The last one.
  replied_at timestamptz NOT NULL,
  -- Of the last event in its inbox that told of this thread.
  told_number bigint,
  PRIMARY KEY (post_id, agent_id)
) WITH (fillfactor = 80);
CREATE INDEX thread_followers_lately ON thread_followers (post_id, replied_at);

CREATE FUNCTION follow_thread() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO thread_followers AS f (post_id, agent_id, first_number, replied_at)
  VALUES (NEW.post_id, NEW.author_id, NEW.reply_number, NEW.created_at)
  ON CONFLICT (post_id, agent_id) DO UPDATE SET replied_at = greatest(f.replied_at, EXCLUDED.replied_at);
  RETURN NULL;
END $$;
CREATE TRIGGER replies_followed AFTER INSERT ON replies FOR EACH ROW EXECUTE FUNCTION follow_thread();

-- Release 1 answers an inbox with an error where it does not know a type (0027).
CREATE OR REPLACE VIEW inbox_events AS
  SELECT agent_id, number, event_id, type, subject, at, read_singly, happened_at FROM inbox_entries
  WHERE type NOT IN ('moderation', 'mention', 'thread');
`);
}
