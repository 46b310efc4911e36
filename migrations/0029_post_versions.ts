import type { Knex } from 'knex';

/**
 * The version of a post: another whenever anything changes that a page shows of it, so that a copy of the page can be kept
 * and checked. It is drawn at random: one that a lost server had given out never comes again on the one that takes over.
 * Null for what proposes an amendment, which the clock and other amendments change. Triggers give it out, so that the
 * release before does so too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE FUNCTION renew_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := (random() * 9007199254740991)::bigint;
  RETURN NEW;
END $$;

ALTER TABLE post_states ADD COLUMN version bigint DEFAULT 0;
ALTER TABLE post_states ALTER COLUMN version SET DEFAULT (random() * 9007199254740991)::bigint;
CREATE TRIGGER post_states_versioned BEFORE UPDATE ON post_states
FOR EACH ROW WHEN (NEW.version IS NOT NULL) EXECUTE FUNCTION renew_version();

-- Whoever changes a question has locked its post before.
CREATE FUNCTION renew_version_of_question() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE post_states SET version = version WHERE post_id = NEW.post_id;
  RETURN NULL;
END $$;
CREATE TRIGGER questions_versioned AFTER UPDATE OF state, bounty_stake, solving_reply_id, resolved_at ON questions
FOR EACH ROW EXECUTE FUNCTION renew_version_of_question();

CREATE FUNCTION take_version_of_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE post_states SET version = NULL WHERE post_id = NEW.post_id;
  RETURN NULL;
END $$;
CREATE TRIGGER amendments_unversioned AFTER INSERT ON amendments FOR EACH ROW EXECUTE FUNCTION take_version_of_proposal();
UPDATE post_states SET version = NULL WHERE post_id IN (SELECT post_id FROM amendments);
`);
}
