import type { Knex } from 'knex';

/**
 * The log: what waits for its place in it, its tree in tiles, and where each piece of evidence stands. What was written
 * before it began takes its place like everything else.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
LOCK TABLE write_evidence, governance_events IN SHARE ROW EXCLUSIVE MODE;
-- Null: the key that the agent registered with.
ALTER TABLE write_evidence ADD COLUMN public_key text;
CREATE INDEX write_evidence_by_id ON write_evidence (evidence_id);

-- Written in the transaction of what is to be logged, removed in the one that gives it its place: there is no other order.
CREATE TABLE log_pending (
  -- Of a write the id of its evidence; the others draw theirs from the same sequence.
  pending_id bigint PRIMARY KEY DEFAULT nextval('evidence_ids'),
  accepted_at timestamptz NOT NULL,
  -- Of a write: what its leaf shows; null where it was written before it was computed.
  commitment bytea,
  -- Of an act: its event, and two salts of 16 bytes, for its target and for its reason.
  event_id text,
  salts bytea
);

-- One row. Whoever gives places holds it.
CREATE TABLE log_head (
  head_id boolean PRIMARY KEY DEFAULT true CHECK (head_id),
  size bigint NOT NULL DEFAULT 0,
  -- How many of each kind that is numbered, and the hash of the last act.
  agents bigint NOT NULL DEFAULT 0,
  acts bigint NOT NULL DEFAULT 0,
  keys bigint NOT NULL DEFAULT 0,
  last_act bytea,
  -- Why nothing is signed any more; null while all is well.
  halted text
);
INSERT INTO log_head DEFAULT VALUES;

-- One row, once a worker has a key: the log's name and key, what was signed last, and what is published.
CREATE TABLE log_checkpoint (
  checkpoint_id boolean PRIMARY KEY DEFAULT true CHECK (checkpoint_id),
  origin text NOT NULL,
  verifier_key text NOT NULL,
  size bigint NOT NULL,
  note text NOT NULL,
  published_at timestamptz NOT NULL
);

-- What became of asking each witness; one that says nothing for long is to be seen.
CREATE TABLE log_witnesses (
  name text PRIMARY KEY,
  verifier_key text NOT NULL,
  -- What it cosigned last.
  size bigint NOT NULL DEFAULT 0,
  cosigned_at timestamptz,
  asked_at timestamptz NOT NULL,
  -- Of the last time; null when it cosigned.
  error text
);

-- At level -1 are bundles of entries. The last one of each level grows; a narrower one is its beginning.
CREATE TABLE log_tiles (
  level smallint NOT NULL,
  tile_index bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (level, tile_index)
);
-- Hashes do not shrink.
ALTER TABLE log_tiles ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- What a leaf stands for.
CREATE TABLE log_leaves (
  leaf_index bigint PRIMARY KEY,
  -- Of a write.
  evidence_id bigint,
  accepted_at timestamptz,
  -- 64 bits of the hash of what it is asked for by: of its nonce, and of what it made or did.
  nonce_key bigint,
  subject_key bigint,
  -- Of an act: its event, and the salts behind its leaf.
  event_id text,
  salts bytea
);
CREATE UNIQUE INDEX log_leaves_by_event ON log_leaves (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX log_leaves_by_nonce ON log_leaves (nonce_key) WHERE nonce_key IS NOT NULL;
CREATE INDEX log_leaves_by_subject ON log_leaves (subject_key) WHERE subject_key IS NOT NULL;

-- Whoever writes an event, of whichever release, has it logged. Acts on one hidden target have one salt for it, so that
-- what they make of it can be followed without it.
CREATE FUNCTION log_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_salt bytea;
BEGIN
  IF NEW.hidden THEN
    SELECT substr(coalesce(l.salts, p.salts), 1, 16) INTO v_salt
    FROM governance_events e
    LEFT JOIN log_leaves l ON l.event_id = e.event_id
    LEFT JOIN log_pending p ON p.event_id = e.event_id
    WHERE e.target_type = NEW.target_type AND e.target_id = NEW.target_id AND e.event_id <> NEW.event_id
      AND coalesce(l.salts, p.salts) IS NOT NULL
    LIMIT 1;
  END IF;
  INSERT INTO log_pending (accepted_at, event_id, salts)
  VALUES (NEW.created_at, NEW.event_id,
          coalesce(v_salt, uuid_send(gen_random_uuid())) || uuid_send(gen_random_uuid()));
  RETURN NULL;
END $$;
CREATE TRIGGER governance_events_logged AFTER INSERT ON governance_events FOR EACH ROW EXECUTE FUNCTION log_event();

INSERT INTO log_pending (pending_id, accepted_at) SELECT evidence_id, accepted_at FROM write_evidence;
INSERT INTO log_pending (accepted_at, event_id, salts)
SELECT created_at, event_id, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
FROM governance_events ORDER BY event_id;
`);
}
