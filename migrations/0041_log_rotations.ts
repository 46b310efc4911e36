import type { Knex } from 'knex';

/** How the log passed from one key to the next, for whoever trusts an earlier one. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE log_rotations (
  rotation_number integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  from_key text NOT NULL,
  to_key text NOT NULL UNIQUE,
  -- The note that both signed; a leaf of the log has it too.
  note text NOT NULL,
  rotated_at timestamptz NOT NULL,
  -- Heads are signed by both keys before.
  both_until timestamptz NOT NULL
)`);
}
