/** Checks whether sessions have what the service needs: a pooler may pass it on, or not. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { BACKEND, isPooled } from '../platform/postgres/pooler.ts';
import { type Db, sql } from '../platform/postgres/postgres.ts';
import { primaryUrl } from '../platform/postgres/primary.ts';
import { SESSION_SETTINGS } from '../platform/postgres/session.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** Other clients of the pooler may come between. A pooler in session mode never changes the session. */
const MAX_ROUNDS = 100;
const OTHER_SESSION_MS = 500;

/** Rejects if a pooler loses named statements (docs/operations#a-pooler). A second client takes the session away. */
export async function requireKeptNames(url: string): Promise<void> {
  const config = { connectionString: await primaryUrl(url), connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  const [asking, taking] = [new pg.Client(config), new pg.Client(config)];
  const clients = [asking, taking];
  // The statement that waits reports the loss of a connection.
  for (const client of clients) client.on('error', () => {});
  try {
    await asking.connect();
    if (!(await isPooled(asking))) return;
    await taking.connect();
    // A session of the pooler may still have the named statements of an earlier start.
    const named = { ...BACKEND, name: `forum.kept.${randomUUID()}` };
    const ask = async () => (await asking.query<{ pid: number }>(named)).rows[0]!.pid;
    const first = await ask();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await taking.query('BEGIN');
      const asked = ask();
      const another = await Promise.race([asked, sleep(OTHER_SESSION_MS)]);
      await Promise.all([taking.query('COMMIT'), asked]);
      if (another !== first) return;
    }
  } finally {
    for (const client of clients) await client.end().catch(() => {});
  }
}

/** Holds its session, so that a pooler gives the next of these statements another one. */
const IN_FORCE = sql(
  'session.inForce',
  `WITH held AS MATERIALIZED (SELECT pg_sleep(0.02))
   SELECT name, setting FROM held, pg_settings WHERE name = ANY($1)`,
);

/** The settings that a session lacks. Checks several at once: other clients of a pooler may have changed one. */
export async function missingSettings(db: Db, sessions = 1): Promise<string[]> {
  const ask = () => db.query<{ name: string; setting: string }>(IN_FORCE, [Object.keys(SESSION_SETTINGS)]);
  const answers = await Promise.all(Array.from({ length: sessions }, ask));
  return Object.entries(SESSION_SETTINGS)
    .filter(([name, value]) =>
      answers.some((rows) => rows.find((row) => row.name === name)?.setting.split(', ')[0] !== String(value)),
    )
    .map(([name]) => name);
}
