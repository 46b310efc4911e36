import { randomBytes } from 'node:crypto';
import { type Db, oneValue } from './postgres.ts';

/** Stores `value` under `name` unless one exists. Returns the stored value. Safe if many processes start at once. */
const storeFirst = oneValue<string, [name: string, value: string]>(
  'settings.keepFirst',
  `INSERT INTO settings (name, value) VALUES ($1, $2)
   ON CONFLICT (name) DO UPDATE SET value = settings.value RETURNING value`,
);

const keepFirst = async (db: Db, name: string, value: string) => (await storeFirst(db, name, value))!;

/** Separates the keys and queues of this deployment from others on the same Redis (docs/operations#sharing-a-redis). */
export const deploymentId = (db: Db): Promise<string> => keepFirst(db, 'deployment_id', randomBytes(8).toString('hex'));

/** The name of this forum in the ids of its feeds. Ids of entries never change, so the first name remains. */
export const feedName = (db: Db, name: string): Promise<string> => keepFirst(db, 'feed_name', name);

/** The key of all cursors: configured, or drawn at the first start and shared by all processes. */
export const cursorSecret = async (db: Db, configured: string | undefined): Promise<string> =>
  configured ?? keepFirst(db, 'cursor_secret', randomBytes(32).toString('base64url'));
