import { oneRow } from '../platform/postgres/postgres.ts';

/** Times in `settings` that the tools for backups store (deploy/postgres/record-time.sql). */
export type RecordedTime = 'last_backup_at' | 'last_rehearsal_at';

const secondsSince = (name: RecordedTime): string =>
  `extract(epoch FROM now() - (SELECT value::timestamptz FROM settings WHERE name = '${name}'))::float8`;

/** Ages of the last backup and of the last rehearsal, in seconds. Null if there was none (docs/operations#backup). */
export const backupAges = oneRow<{ readonly backup: number | null; readonly rehearsal: number | null }>(
  'backups.ages',
  `SELECT ${secondsSince('last_backup_at')} AS backup, ${secondsSince('last_rehearsal_at')} AS rehearsal`,
);
