import type { Knex } from 'knex';

/** The request that an event comes from, and the trace that its caller counts it to, for the log of the job that follows. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE outbox ADD COLUMN request_id text, ADD COLUMN trace_id text');
}
