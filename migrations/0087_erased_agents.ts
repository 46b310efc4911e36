import type { Knex } from 'knex';

/**
 * Erased registrations (docs/governance#erasure-of-a-registration). `handle_hash` is SHA-256 of the released handle, so
 * that no agent registers it again. `change_number` is drawn from `registration_counter`, as that of a key change, and
 * renews what processes know of the agent; `version` renews cached responses. `registration` is null unless the log was
 * cut (`workers/log/recovery.ts`): then it is the content of the leaf, which the row of the agent no longer has. The
 * trigger also holds for processes of the previous release.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`CREATE TABLE erased_agents (
  agent_id text PRIMARY KEY,
  handle_hash bytea NOT NULL UNIQUE,
  change_number bigint NOT NULL UNIQUE,
  version uuid NOT NULL DEFAULT gen_random_uuid(),
  registration text
)`);
  await knex.raw(`CREATE FUNCTION refuse_released_handle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM public.erased_agents e WHERE e.handle_hash = sha256(convert_to(NEW.handle, 'UTF8'))) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', COLUMN = 'handle', MESSAGE = 'handle taken';
  END IF;
  RETURN NULL;
END $$`);
  // After the insert, which waits for an erasure under way, so that the function sees its row.
  await knex.raw(`CREATE TRIGGER agents_released_handle AFTER INSERT ON agents
    FOR EACH ROW EXECUTE FUNCTION refuse_released_handle()`);
}
