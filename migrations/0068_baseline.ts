import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';

const SCHEMA = readFileSync(join(import.meta.dirname, '0068_baseline.sql'), 'utf8');

/** Creates the schema of release 1.1.0 in an empty database (README.md, "The baseline"). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(SCHEMA);
}
