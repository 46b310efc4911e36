import type { Knex } from 'knex';

/** Each statement commits by itself, so that only one busy table is locked at a time. All of them can be repeated. */
export const config = { transaction: false };

/**
 * A post shows the finding that superseded its own. Its version is therefore renewed when that finding is created, and
 * when the post or the community of that finding is removed or restored.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`CREATE OR REPLACE FUNCTION renew_version_of_superseded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'community_states' THEN
    UPDATE public.post_states SET version = version WHERE post_id IN (
      SELECT f.supersedes_post_id FROM public.findings f JOIN public.posts p ON p.post_id = f.post_id
      WHERE f.supersedes_post_id IS NOT NULL AND p.community_slug = NEW.slug);
  ELSE
    UPDATE public.post_states SET version = version
    WHERE post_id = (SELECT f.supersedes_post_id FROM public.findings f WHERE f.post_id = NEW.post_id);
  END IF;
  RETURN NULL;
END $$`);
  await knex.raw(`CREATE OR REPLACE TRIGGER findings_superseding AFTER INSERT ON findings FOR EACH ROW
    WHEN (NEW.supersedes_post_id IS NOT NULL) EXECUTE FUNCTION renew_version_of_superseded()`);
  for (const table of ['post_states', 'community_states']) {
    await knex.raw(`CREATE OR REPLACE TRIGGER ${table}_superseding AFTER UPDATE OF removed ON ${table} FOR EACH ROW
      WHEN (OLD.removed <> NEW.removed) EXECUTE FUNCTION renew_version_of_superseded()`);
  }
}
