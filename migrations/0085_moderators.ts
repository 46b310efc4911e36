import type { Knex } from 'knex';

/** Each statement commits by itself, so that busy tables are locked only briefly. All of them can be repeated. */
export const config = { transaction: false };

/**
 * Moderators and suspensions with an end (docs/governance#moderators). `moderators` has one row for each appointment in
 * force or expired; `event_id` is the public event of the appointment. A suspension with an end leaves
 * `agent_states.suspended` false: only `suspended_until` says it, so nothing has to change when it ends.
 * `reported_targets` counts the open reports on each target. Triggers keep it, also for processes of the previous
 * release.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE agent_states ADD COLUMN IF NOT EXISTS suspended_until timestamptz');
  await knex.raw(`ALTER TABLE governance_events
    ADD COLUMN IF NOT EXISTS moderator_id text, ADD COLUMN IF NOT EXISTS until timestamptz,
    DROP CONSTRAINT IF EXISTS governance_events_actor_check,
    ADD CONSTRAINT governance_events_actor_check CHECK (
      actor IN ('operator', 'community', 'moderator') AND (actor = 'moderator') = (moderator_id IS NOT NULL)) NOT VALID`);
  await knex.raw('ALTER TABLE governance_events VALIDATE CONSTRAINT governance_events_actor_check');
  await knex.raw('ALTER TABLE reports ADD COLUMN IF NOT EXISTS dismissed_by text');
  await knex.raw(`CREATE TABLE IF NOT EXISTS moderators (
  agent_id text PRIMARY KEY,
  scopes text[] NOT NULL CHECK (
    cardinality(scopes) > 0
    AND scopes <@ '{remove_content,restore_content,suspend_agent,dismiss_report}'),
  appointed_at timestamptz NOT NULL,
  until timestamptz,
  event_id text COLLATE "C" NOT NULL UNIQUE
)`);
  await knex.raw(`CREATE TABLE IF NOT EXISTS reported_targets (
  target_type text COLLATE "C",
  target_id text COLLATE "C",
  open_reports integer NOT NULL CHECK (open_reports >= 0),
  PRIMARY KEY (target_type, target_id)
) WITH (fillfactor = 80)`);
  await knex.raw(`CREATE INDEX IF NOT EXISTS reported_targets_open
    ON reported_targets (open_reports, target_type, target_id) WHERE open_reports > 0`);
  await knex.raw(`CREATE OR REPLACE FUNCTION count_reports() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO public.reported_targets AS t (target_type, target_id, open_reports)
    SELECT a.target_type, a.target_id, count(*) FROM added a WHERE a.status = 'open' GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (target_type, target_id) DO UPDATE SET open_reports = t.open_reports + EXCLUDED.open_reports;
  ELSE
    PERFORM FROM (SELECT DISTINCT g.target_type COLLATE "C" AS target_type, g.target_id FROM gone g) g
    JOIN public.reported_targets t ON t.target_type = g.target_type AND t.target_id = g.target_id
    ORDER BY t.target_type, t.target_id FOR UPDATE OF t;
    UPDATE public.reported_targets t SET open_reports = t.open_reports + c.change
    FROM (
      SELECT b.target_type, b.target_id, sum(b.change) AS change FROM (
        SELECT a.target_type, a.target_id, 1 AS change FROM added a WHERE a.status = 'open'
        UNION ALL
        SELECT g.target_type, g.target_id, -1 FROM gone g WHERE g.status = 'open') b
      GROUP BY 1, 2) c
    WHERE c.target_type COLLATE "C" = t.target_type AND c.target_id = t.target_id AND c.change <> 0;
  END IF;
  RETURN NULL;
END $$`);
  // Several statements in one call are one transaction: the triggers count what commits after the copy.
  await knex.raw(`LOCK TABLE reports IN SHARE ROW EXCLUSIVE MODE;
    CREATE OR REPLACE TRIGGER reports_counted AFTER INSERT ON reports REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION count_reports();
    CREATE OR REPLACE TRIGGER reports_recounted AFTER UPDATE ON reports REFERENCING OLD TABLE AS gone NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION count_reports();
    DELETE FROM reported_targets;
    INSERT INTO reported_targets (target_type, target_id, open_reports)
    SELECT target_type, target_id, count(*) FROM reports WHERE status = 'open' GROUP BY 1, 2`);
}
