import type { Knex } from 'knex';

/**
 * The version of a reply, as that of a post (0029): the votes on it and whether it stands. In its own row, so that those who
 * vote on the replies of one thread do not wait for each other.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE reply_states ADD COLUMN version bigint NOT NULL DEFAULT 0;
ALTER TABLE reply_states ALTER COLUMN version SET DEFAULT (random() * 9007199254740991)::bigint;
CREATE TRIGGER reply_states_versioned BEFORE UPDATE ON reply_states FOR EACH ROW EXECUTE FUNCTION renew_version();
`);
}
