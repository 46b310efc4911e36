import type { Knex } from 'knex';

/** What is there is looked through while writers go on; the swap is a transaction of its own. */
export const config = { transaction: false };

/**
 * Receipts by the day that their requests were signed, so that days go as a whole. A replay carries the timestamp of what
 * it repeats, so it meets the receipt in the same partition, where agent and nonce are unique. The table that was there
 * becomes the first partition: nothing is copied, and processes of the release before go on writing to it, by the same name.
 */
export async function up(knex: Knex): Promise<void> {
  try {
    await knex.raw(BOUND);
    await knex.raw(VALIDATE);
    await knex.raw(SWAP);
  } catch (error) {
    // Left behind, the bound would refuse every write from its day on.
    await knex.raw(UNBIND).catch(() => {});
    throw error;
  }
}

const NOT_YET = `(SELECT relkind = 'r' FROM pg_class WHERE oid = 'write_receipts'::regclass)`;
const UNBIND = 'ALTER TABLE write_receipts DROP CONSTRAINT IF EXISTS write_receipts_before';

/** Three days ahead of today the table that was there still takes receipts: time for who is interrupted to try again. */
const BOUND = `DO $$ BEGIN
  IF ${NOT_YET} THEN
    ${UNBIND};
    EXECUTE format('ALTER TABLE write_receipts ADD CONSTRAINT write_receipts_before CHECK (signed_at < %L) NOT VALID',
                   date_trunc('day', clock_timestamp(), 'UTC') + interval '72 hours');
  END IF;
END $$`;

/** Looks at every row, beside those who write. */
const VALIDATE = `DO $$ BEGIN
  IF ${NOT_YET} THEN
    ALTER TABLE write_receipts VALIDATE CONSTRAINT write_receipts_before;
  END IF;
END $$`;

const SWAP = `DO $$
DECLARE
  v_until timestamptz;
  v_first text;
  v_is_used boolean;
BEGIN
  IF NOT ${NOT_YET} THEN
    RETURN;
  END IF;
  LOCK TABLE write_receipts IN ACCESS EXCLUSIVE MODE;
  v_until := (SELECT substring(pg_get_constraintdef(oid) FROM '''(.+)''')::timestamptz
              FROM pg_constraint WHERE conname = 'write_receipts_before');
  v_first := 'write_receipts_until_' || to_char(v_until AT TIME ZONE 'UTC', 'YYYY_MM_DD');
  EXECUTE format('ALTER TABLE write_receipts RENAME TO %I', v_first);
  CREATE TABLE write_receipts (
    agent_id text NOT NULL,
    nonce text NOT NULL,
    signed_at timestamptz NOT NULL,
    operation text NOT NULL,
    counter text,
    status smallint NOT NULL,
    -- What reads cannot rebuild: ids and figures, never text that somebody wrote.
    facts text NOT NULL,
    created_at timestamptz NOT NULL
  ) PARTITION BY RANGE (signed_at);
  -- For days that nobody has made a partition for; create_receipt_days keeps it empty.
  CREATE TABLE write_receipts_default PARTITION OF write_receipts DEFAULT;
  CREATE UNIQUE INDEX write_receipts_default_once ON write_receipts_default (agent_id, nonce);
  CREATE INDEX write_receipts_default_charged ON write_receipts_default (agent_id, created_at) WHERE counter IS NOT NULL;
  EXECUTE format('SELECT EXISTS (SELECT FROM %I)', v_first) INTO v_is_used;
  IF v_is_used THEN
    EXECUTE format('ALTER TABLE write_receipts ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', v_first, v_until);
  ELSE
    EXECUTE format('DROP TABLE %I', v_first);
  END IF;
  -- A worker of the release before removes receipts by their place in the table, and places are each partition's own: what
  -- has not served its time stays.
  CREATE FUNCTION keep_receipt() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
  CREATE TRIGGER write_receipts_kept BEFORE DELETE ON write_receipts FOR EACH ROW
    WHEN (OLD.created_at >= clock_timestamp() - interval '48 hours') EXECUTE FUNCTION keep_receipt();
END $$`;
