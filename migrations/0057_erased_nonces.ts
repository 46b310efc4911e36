import type { Knex } from 'knex';

/**
 * What the writer of an erased write asks for it by. Its leaf knows that only where it had its place before: who gives places
 * reads it from the evidence, and whoever takes places back does not keep it. Of what processes of the release before erase it is
 * null, and such a write is found by its leaf.
 */
export async function up(knex: Knex): Promise<void> {
  // As few rows as there were erasures, so the index is made at once.
  await knex.raw(`
-- 64 bits of the hash of agent and nonce, as those of leaves; nothing of what was written.
ALTER TABLE erased_evidence ADD COLUMN nonce_key bigint;
CREATE INDEX erased_evidence_by_nonce ON erased_evidence (nonce_key) WHERE nonce_key IS NOT NULL;
`);
}
