import pg from 'pg';
import { MIGRATION_NAMES } from '../../../migrations/run.ts';
import { requireOwnSession, WITHOUT_LIMITS } from '../../../migrations/sessions.ts';
import type { RecordedTime } from '../../ops/backups.ts';
import { primaryUrl } from '../../platform/postgres/primary.ts';
import { RELEASE } from '../../platform/postgres/release.ts';
import { StartupError } from '../../platform/startupError.ts';
import { VERSION } from '../../protocol/service.ts';
import { startFailure } from '../../start/startFailure.ts';
import type { Origin } from './manifest.ts';

/** Runs `work` without time limits. Throws `StartupError` for a pooler, because `pg_dump` would change its sessions. */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const connectionString = await primaryUrl(url).catch((error: unknown) => {
    throw startFailure(error, url);
  });
  const client = new pg.Client({ connectionString, application_name: 'forum backup', keepAlive: true });
  // Pending queries are rejected separately.
  client.on('error', () => {});
  await client.connect().catch((error: unknown) => {
    throw startFailure(error, url);
  });
  try {
    await requireOwnSession(client);
    await client.query(WITHOUT_LIMITS);
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Stores when the last backup or rehearsal succeeded, for the gauges of the ops listener (docs/operations#backup).
 * Without `at` this is the database's present time.
 */
export async function recordTime(url: string, name: RecordedTime, at?: string): Promise<void> {
  const text = `INSERT INTO settings (name, value) VALUES ($1, coalesce($2::timestamptz, now()))
     ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`;
  await withConnection(url, (client) => client.query(text, [name, at ?? null]));
}

export async function ask<Row extends object>(client: pg.Client, text: string, values: unknown[] = []): Promise<Row> {
  const { rows } = await client.query<Row>(text, values);
  return rows[0]!;
}

export async function readOrigin(client: pg.Client): Promise<Origin> {
  const { migrated, version } = await ask<{ migrated: boolean; version: string }>(
    client,
    `SELECT to_regclass('knex_migrations') IS NOT NULL AS migrated, current_setting('server_version') AS version`,
  );
  if (!migrated) throw new StartupError('The database is not migrated: there is nothing to back up.');
  const { name } = await ask<{ name: string }>(client, 'SELECT name FROM knex_migrations ORDER BY id DESC LIMIT 1');
  const { id } = await ask<{ id: string | null }>(
    client,
    `SELECT (SELECT value FROM settings WHERE name = 'deployment_id') AS id`,
  );
  return {
    service: { version: VERSION, release: RELEASE, lastMigration: name },
    postgres: { version, major: version.split('.')[0]! },
    deploymentId: id,
  };
}

/** Throws `StartupError` for a backup of a release whose schema this release cannot use. */
export function requireKnownSchema({ service: { version, lastMigration } }: Origin): void {
  if (MIGRATION_NAMES.includes(lastMigration)) return;
  if (lastMigration < MIGRATION_NAMES[0]!) {
    throw new StartupError(
      `The backup is from release ${version}. Restore it with that release, upgrade the forum to release 1.1.0, then to this release.`,
    );
  }
  throw new StartupError(
    `The backup is from a newer release (${version}, ${lastMigration}). Restore it with that release.`,
  );
}
