import pg from 'pg';
import { migrateLatest } from '../../migrations/run.ts';
import { asAdmin, databaseUrlNamed } from '../support/database.ts';

/** Properties of a filled database. They are stored as its comment, so that a later run finds them. */
export interface FillReport {
  readonly fillSeconds: number;
  readonly searchable: boolean;
}

/**
 * A migrated database with its own name on the server of TEST_DATABASE_URL: empty, or `filled` by an earlier run with
 * `--keep`.
 */
export interface SizedDatabase {
  readonly name: string;
  readonly url: string;
  readonly filled: FillReport | undefined;
}

/**
 * Returns the database of that name, migrated to this schema, if it was kept and `searchable` fits. Otherwise creates
 * it again.
 */
export async function openSizedDatabase(name: string, searchable: boolean): Promise<SizedDatabase> {
  const kept = await fillReportOf(name);
  const filled = kept?.searchable || !searchable ? kept : undefined;
  if (!filled) await create(name);
  const url = databaseUrlNamed(name);
  await migrateLatest(url);
  return { name, url, filled };
}

export const rememberFill = (name: string, report: FillReport): Promise<void> =>
  asAdmin(async (admin) => {
    await admin.query(`COMMENT ON DATABASE ${name} IS ${pg.escapeLiteral(JSON.stringify(report))}`);
  });

/** Disconnects all clients of the database. */
export const dropSizedDatabase = (name: string): Promise<void> =>
  asAdmin(async (admin) => {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });

async function create(name: string): Promise<void> {
  await dropSizedDatabase(name);
  await asAdmin((admin) =>
    admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'`),
  );
}

/** The report of the database of that name, if it was filled. */
export async function fillReportOf(name: string): Promise<FillReport | undefined> {
  const { rows } = await asAdmin((admin) =>
    admin.query<{ comment: string | null }>(
      `SELECT shobj_description(oid, 'pg_database') AS comment FROM pg_database WHERE datname = $1`,
      [name],
    ),
  );
  const comment = rows[0]?.comment;
  return comment ? (JSON.parse(comment) as FillReport) : undefined;
}
