import type { Knex } from 'knex';

/**
 * Keys that follow the one an agent registered with. `key_epoch` counts them; the first key is number 0 and stands in `agents`
 * alone. Writes lock `agent_states` already, and are refused under a key of another epoch.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- Counted under the lock of the row that every registration takes, so that no key comes to two agents.
ALTER TABLE registration_counter ADD COLUMN last_key_change bigint NOT NULL DEFAULT 0;
CREATE TABLE agent_keys (
  agent_id text NOT NULL REFERENCES agents,
  key_epoch integer NOT NULL,
  public_key text NOT NULL CONSTRAINT agent_keys_taken UNIQUE,
  since timestamptz NOT NULL,
  change_number bigint NOT NULL CONSTRAINT agent_keys_by_change UNIQUE,
  -- Where the log tells of it; null until it has its place.
  leaf_index bigint,
  PRIMARY KEY (agent_id, key_epoch)
);
CREATE INDEX agent_keys_without_place ON agent_keys (agent_id) WHERE leaf_index IS NULL;
CREATE FUNCTION refuse_later_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM agent_keys WHERE public_key = NEW.signing_public_key) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', COLUMN = 'identity.signing_public_key', MESSAGE = 'key taken';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER agents_no_later_key BEFORE INSERT ON agents FOR EACH ROW EXECUTE FUNCTION refuse_later_key();
ALTER TABLE agent_states ADD COLUMN key_epoch integer NOT NULL DEFAULT 0;
-- What the current key has committed the agent to: JSON of the hash of the key that follows, and its signature.
ALTER TABLE agent_states ADD COLUMN next_key text;
COMMENT ON COLUMN agent_states.frozen_at IS
  '-infinity: the key was replaced, and the present one is not frozen. Processes that know of the first key alone take it as frozen.';
`);
}
