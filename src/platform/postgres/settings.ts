import { randomBytes } from 'node:crypto';
import { type Db, sql } from './postgres.ts';

const KEEP_FIRST = sql(
  'settings.keepFirst',
  `INSERT INTO settings (name, value) VALUES ($1, $2)
   ON CONFLICT (name) DO UPDATE SET value = settings.value RETURNING value`,
);

/** Stores `value` under `name` unless one is there already; returns what is stored. Safe when many start at once. */
async function keepFirst(db: Db, name: string, value: string): Promise<string> {
  const [row] = await db.query<{ value: string }>(KEEP_FIRST, [name, value]);
  return row!.value;
}

/**
 * What keeps this deployment's keys and queues apart from those of others on the same Redis
 * (docs/operations#sharing-a-redis). Drawn at the first start, and by whoever uses Redis: a copy of the database goes
 * by the same name.
 */
export async function deploymentId(db: Db): Promise<string> {
  return keepFirst(db, 'deployment_id', randomBytes(8).toString('hex'));
}

/**
 * The name of this forum in the ids of its feeds. Ids of entries never change, so the first name is kept for good, whatever
 * becomes of the log that it was taken from.
 */
export const feedName = (db: Db, name: string): Promise<string> => keepFirst(db, 'feed_name', name);

/** The key of all cursors: configured, or drawn at the first start and shared through the database by all processes. */
export async function cursorSecret(db: Db, configured: string | undefined): Promise<string> {
  return configured ?? keepFirst(db, 'cursor_secret', randomBytes(32).toString('base64url'));
}
