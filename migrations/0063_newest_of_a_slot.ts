import type { Knex } from 'knex';

/** The newest row of a slot is found by its index, however many pages the table has: by a sort it is looked for among all that stood there. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER FUNCTION begin_second(text, integer, bigint, text) SET enable_sort = off');
}
