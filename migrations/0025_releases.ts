import type { Knex } from 'knex';

/**
 * What a release runs in the database is loaded into a schema of its own (`release.ts`), and is no longer a matter of
 * migrations. Functions and views in `public` are those of release 1, whose processes may still call them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE releases (
  name text PRIMARY KEY,
  loaded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
`);
}
