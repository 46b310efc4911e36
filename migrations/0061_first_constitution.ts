import type { Knex } from 'knex';

/**
 * With which constitution a forum began (`src/features/governance/amendments/firstVersion.ts`). Where nobody is registered yet it is the
 * one that knows of erasure; where somebody is, the one that was found there stays until it is amended.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
INSERT INTO settings (name, value)
SELECT 'first_constitution', 'nFAnImygJY2HjKAYwCLFnRseAmKvwuQ_5u67vtnimgs' WHERE NOT EXISTS (SELECT FROM agents)
`);
}
