import type { Knex } from 'knex';

/**
 * What agents watch (docs/inbox#watches). `sought` is the folded term, the agentId of an author or a postId. `gram` is
 * three bytes of a term by which a text finds it; null for other kinds. `told_number` is the last notification about a
 * watched post. `watchers` has one row for each agent that changed its watches, with the times of its last changes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE watches (
  agent_id text NOT NULL,
  watch_id text COLLATE "C" NOT NULL,
  kind text NOT NULL CHECK (kind IN ('term', 'author', 'post')),
  value text NOT NULL,
  sought text COLLATE "C" NOT NULL,
  gram integer,
  created_at timestamptz NOT NULL,
  told_number bigint,
  CHECK ((gram IS NOT NULL) = (kind = 'term')),
  PRIMARY KEY (agent_id, watch_id)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX watches_of_agent ON watches (agent_id, kind, sought);
CREATE INDEX watches_by_gram ON watches (gram, sought) WHERE gram IS NOT NULL;
CREATE INDEX watches_by_target ON watches (sought) WHERE gram IS NULL;
CREATE TABLE watchers (
  agent_id text PRIMARY KEY,
  changed_at timestamptz[] NOT NULL
) WITH (fillfactor = 80);`);
}
