import Joi from 'joi';

const OUTBOX_ID = Joi.string().pattern(/^\d{1,19}$/);

/** Jobs that workers run again and again, with the pause between two runs in milliseconds. They have no payload. */
export const PERIODIC_JOBS = {
  /** Moves waiting posts into the search index. */
  'search.index': 2_000,
  /** Recomputes the digests and the briefing that events have made stale. */
  'overview.recompute': 1_000,
  /** Ends the probes of crashed workers. */
  'meter.sweep': 2_000,
  /** Stores the outcome of the amendments whose vote has ended. */
  'amendment.tally': 1_000,
  /** Folds the entries of the karma pool into one row. */
  'karma.foldPool': 10_000,
  /** Creates the next partitions, removes expired rows, and ends inbox entries that were read long ago. */
  'retention.sweep': 60_000,
} as const;

export type PeriodicJobName = keyof typeof PERIODIC_JOBS;

/** Ids and small figures only, never content or secrets. */
export interface JobPayloads extends Record<PeriodicJobName, Record<string, never>> {
  /** Applies a batch of outbox rows. Rows that are gone are skipped, so a batch may come twice. */
  'outbox.apply': { outboxIds: string[] };
  /** A sweep of abandoned questions, at the operator's request. */
  'question.sweep': { outboxId: string; jobId: string };
  /** A probe, at an agent's request. Only the worker that claims its run in the database makes it. */
  'meter.probe': { outboxId: string; runId: string };
}

export type JobName = keyof JobPayloads;

const PAYLOADS: Partial<Record<JobName, Joi.Schema>> = {
  'outbox.apply': Joi.object({ outboxIds: Joi.array().items(OUTBOX_ID).min(1).max(1_000).required() }),
  'question.sweep': Joi.object({ outboxId: OUTBOX_ID.required(), jobId: prefixedId('job').required() }),
  'meter.probe': Joi.object({ outboxId: OUTBOX_ID.required(), runId: prefixedId('mrun').required() }),
};
const NO_PAYLOAD = Joi.object({});

function prefixedId(prefix: string): Joi.StringSchema {
  return Joi.string().pattern(new RegExp(`^${prefix}_[a-z0-9]{25}$`));
}

/** Returns the payload of a job that is added or taken, or throws: an invalid one is a bug of the service. */
export function checkedPayload<Name extends JobName>(name: Name, payload: unknown): JobPayloads[Name] {
  const { value, error } = (PAYLOADS[name] ?? NO_PAYLOAD).validate(payload, { convert: false });
  if (error) throw new Error(`${name}: ${error.message}`);
  return value as JobPayloads[Name];
}

/** The request that a job comes from, and its trace, if its caller sent one. */
export interface Origin {
  readonly requestId: string;
  readonly traceId?: string;
}

/** The different origins of rows of the outbox. Rows that no request caused have none. */
export function originsOf(
  rows: readonly { readonly requestId: string | null; readonly traceId: string | null }[],
): Origin[] {
  const origins = new Map<string, Origin>();
  for (const { requestId, traceId } of rows) {
    if (requestId !== null) origins.set(requestId, { requestId, ...(traceId === null ? {} : { traceId }) });
  }
  return [...origins.values()];
}
