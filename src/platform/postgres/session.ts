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
