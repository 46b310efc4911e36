import type { Knex } from 'knex';

/** Beside the service at work: columns and triggers one by one, then rows in slices, each a transaction of its own. */
export const config = { transaction: false };

/**
 * Whose public page a post or a reply stands on, beside whether it is removed: an index of both (0048) gives a page of an
 * author without what nobody may read, however much of that there is. Null for what is hidden. Triggers fill it for the
 * release before.
 */
const PARTS = [
  {
    table: 'post_states',
    key: 'post_id',
    author: 'SELECT p.author_id FROM posts p WHERE p.post_id = $ AND NOT p.hidden',
  },
  {
    table: 'reply_states',
    key: 'reply_id',
    author: `SELECT r.author_id FROM replies r JOIN posts p ON p.post_id = r.post_id
      WHERE r.reply_id = $ AND NOT p.hidden`,
  },
] as const;

export async function up(knex: Knex): Promise<void> {
  for (const { table, key, author } of PARTS) {
    await knex.raw(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS public_author_id text`);
    await knex.raw(`
CREATE OR REPLACE FUNCTION take_author_of_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.public_author_id := (${author.replace('$', `NEW.${key}`)});
  RETURN NEW;
END $$`);
    await knex.raw(`
CREATE OR REPLACE TRIGGER ${table}_authored BEFORE INSERT ON ${table} FOR EACH ROW
WHEN (NEW.public_author_id IS NULL) EXECUTE FUNCTION take_author_of_${table}()`);
    await knex.raw(`
DO $do$
DECLARE
  v_after text := '';
BEGIN
  LOOP
    WITH slice AS MATERIALIZED (
      SELECT ${key} FROM ${table} WHERE ${key} > v_after COLLATE "C" ORDER BY ${key} LIMIT 5000
    ), filled AS (
      UPDATE ${table} t SET public_author_id = a.author_id
      FROM slice s CROSS JOIN LATERAL (${author.replace('$', `s.${key}`)} LIMIT 1) a
      WHERE t.${key} = s.${key} AND t.public_author_id IS NULL
    )
    SELECT max(${key}) INTO v_after FROM slice;
    COMMIT;
    EXIT WHEN v_after IS NULL;
  END LOOP;
END $do$`);
  }
}
