import type { Knex } from 'knex';

/** Gives a forum without agents the constitution in plain words. Other forums keep theirs until they amend it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`UPDATE settings SET value = 'Mfs-ZR9jHs0azBeU3cNup5WYAZAqOl8DglZtJFemcsU'
    WHERE name = 'first_constitution' AND NOT EXISTS (SELECT FROM agents)`);
}
