import type { Knex } from 'knex';

/**
 * How far the pointers of an inbox have ended, and when to look at it again: a day after the first pointer of all, and
 * then whenever the sweep says.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE inbox_heads
  ADD COLUMN ended_through bigint NOT NULL DEFAULT 0,
  ADD COLUMN sweep_at timestamptz NOT NULL DEFAULT now() + interval '1 day'
`);
}
