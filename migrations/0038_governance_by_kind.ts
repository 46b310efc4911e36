import type { Knex } from 'knex';

/** The public log of governance by kind, newest first; by target there is an index already (0015). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE INDEX governance_events_of_kind ON governance_events (kind, event_id DESC)');
}
