import { type Db, sql } from './statement.ts';

/**
 * What holds for every session of the service, stored with its role in its database (`ALTER ROLE … IN DATABASE`): a pooler
 * between passes on neither a startup packet nor a SET. Times in milliseconds: one statement, one wait for a lock, one idle
 * moment. Together with the wait for a connection and the retries of `execute` they stay below the 20 s after which a
 * write that is not committed never will be (docs/operations#time-limits). Generic plans cost nothing to plan again,
 * JIT takes longer over a page than the page, Memoize begins with a table for as many rows as it may meet one day, a merge
 * goes through all that is newer than the page, and to start processes that read for a statement takes longer than any of
 * ours, which read little where it is estimated as much. What waits for a lock looks again at what others committed
 * meanwhile, which only READ COMMITTED shows; the driver reads no time that is not written as ISO 8601 does, and writes NULL
 * in an array so; our clock and the places of the log are numbers that must come with all their digits.
 */
export const SESSION_SETTINGS = {
  statement_timeout: 5_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 3_000,
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  enable_memoize: 'off',
  enable_mergejoin: 'off',
  max_parallel_workers_per_gather: 0,
  default_transaction_isolation: 'read committed',
  // And the order in which dates are read, whatever that is.
  DateStyle: 'ISO',
  array_nulls: 'on',
  extra_float_digits: '1',
} as const;

/** Takes the limits away from a session that may take its time: migrations, filling, measuring. */
export const WITHOUT_LIMITS = Object.entries(SESSION_SETTINGS)
  .filter(([, value]) => typeof value === 'number')
  .map(([name]) => `SET ${name} = 0`)
  .join('; ');

/** Stores the settings for the role and the database of a connection; sessions that begin later have them. */
export async function storeSessionSettings(connection: { query(text: string): Promise<unknown> }): Promise<void> {
  const commands = Object.entries(SESSION_SETTINGS).map(
    ([name, value]) =>
      `EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %I SET ${name} = %L', current_database(), '${value}');`,
  );
  await connection.query(`DO $$ BEGIN ${commands.join(' ')} END $$`);
}

const IN_FORCE = sql('session.inForce', 'SELECT name, setting FROM pg_settings WHERE name = ANY($1)');
/** Holds its session for so long that a pooler gives the next of these another one. */
const HELD_IN_FORCE = sql(
  'session.heldInForce',
  `WITH held AS MATERIALIZED (SELECT pg_sleep(0.02))
   SELECT name, setting FROM held, pg_settings WHERE name = ANY($1)`,
);

/**
 * The names of the settings that a session of the service does not have; none when `npm run migrate` did its work. Looks at
 * as many sessions at once as `sessions` says: through a pooler, another client may have changed one of those that are shared.
 */
export async function missingSettings(db: Db, sessions = 1): Promise<string[]> {
  const statement = sessions === 1 ? IN_FORCE : HELD_IN_FORCE;
  const ask = () => db.query<{ name: string; setting: string }>(statement, [Object.keys(SESSION_SETTINGS)]);
  const answers = await Promise.all(Array.from({ length: sessions }, ask));
  return Object.entries(SESSION_SETTINGS)
    .filter(([name, value]) =>
      answers.some((rows) => rows.find((row) => row.name === name)?.setting.split(', ')[0] !== String(value)),
    )
    .map(([name]) => name);
}
