import type { Knex } from 'knex';

/** The index is built concurrently. A repetition changes nothing. */
export const config = { transaction: false };

const STATEMENTS = [
  'DROP INDEX CONCURRENTLY IF EXISTS questions_by_bounty',
  `CREATE INDEX CONCURRENTLY questions_by_bounty ON questions (bounty_stake, post_id)
   WHERE state = 'open' AND bounty_stake IS NOT NULL`,
];

/** Lists open questions by their bounty. */
export async function up(knex: Knex): Promise<void> {
  for (const statement of STATEMENTS) await knex.raw(statement);
}
