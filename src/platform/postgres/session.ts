import { type Db, sql } from './statement.ts';

/**
 * Stored with the role in its database, because a pooler passes on neither startup packets nor SET. In milliseconds.
 * With the waits and retries of a write they stay below its deadline of 20 s (docs/operations#time-limits). Generic
 * plans are not planned again. JIT, parallel workers, memoize and merge joins cost more than our statements. Reading
 * after a wait for a lock needs READ COMMITTED. The driver parses only ISO times and this form of NULL.
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
  // The server returns it with an order of input, which does not matter.
  DateStyle: 'ISO',
  array_nulls: 'on',
  extra_float_digits: '1',
} as const;

/** Removes the time limits of a session, for migrations and measurements. */
export const WITHOUT_LIMITS = Object.entries(SESSION_SETTINGS)
  .filter(([, value]) => typeof value === 'number')
  .map(([name]) => `SET ${name} = 0`)
  .join('; ');

export async function storeSessionSettings(connection: { query(text: string): Promise<unknown> }): Promise<void> {
  const commands = Object.entries(SESSION_SETTINGS).map(
    ([name, value]) =>
      `EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %I SET ${name} = %L', current_database(), '${value}');`,
  );
  await connection.query(`DO $$ BEGIN ${commands.join(' ')} END $$`);
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
