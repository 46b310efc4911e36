import type { Knex } from 'knex';

/**
 * The balance that a stored provenance shows: that at the start of `start_day`. It is valid for `start_seq` alone, so
 * that a worker of the previous release, which stores no balance, makes it invalid. Then a read adds up the rows of its
 * day, as before.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE karma_provenance ADD COLUMN start_day integer, ADD COLUMN start_seq bigint, ADD COLUMN start_balance bigint`);
}
