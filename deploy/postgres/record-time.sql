-- Stores the present time for the gauges forum_backup_age_seconds and forum_rehearsal_age_seconds
-- (deploy/RUNBOOK.md, "Back up"). NAME is last_backup_at or last_rehearsal_at:
--   psql --dbname=forum --set=name=NAME --file=record-time.sql
\set ON_ERROR_STOP on
INSERT INTO public.settings (name, value) VALUES (:'name', now())
ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value;
