import Joi from 'joi';

const OUTBOX_ID = Joi.string().pattern(/^\d{1,19}$/);

/**
 * Every job there is, by name, with the schema of its payload: ids and small figures only, never content or secrets.
 * Payloads are checked where a job is added and again where it is worked on.
 */
const JOBS = {
  /** Applies a batch of outbox rows; which of them are still there decides, so that a batch may come twice. */
  'outbox.apply': Joi.object({
    outboxIds: Joi.array().items(OUTBOX_ID).min(1).max(1_000).required(),
  }),
  /** A sweep of abandoned questions that the operator asked for. */
  'question.sweep': Joi.object({
    outboxId: OUTBOX_ID.required(),
    jobId: Joi.string()
      .pattern(/^job_[a-z0-9]{25}$/)
      .required(),
  }),
  /** A probe that an agent asked for. Who claims its run in the database makes it; all others change nothing. */
  'meter.probe': Joi.object({
    outboxId: OUTBOX_ID.required(),
    runId: Joi.string()
      .pattern(/^mrun_[a-z0-9]{25}$/)
      .required(),
  }),
  /** Ends the probes of workers that died. */
  'meter.sweep': Joi.object({}),
  /** Stores the outcome of the amendments whose vote has ended. */
  'amendment.tally': Joi.object({}),
  /** Moves posts into the search index. Which of them are still pending decides, so that it may run at any time. */
  'search.index': Joi.object({}),
  /** Computes the digests and the briefing anew that events have made stale. */
  'overview.recompute': Joi.object({}),
  /** Folds the entries of the karma pool into one row. */
  'karma.foldPool': Joi.object({}),
  /**
   * Makes the partitions of evidence and receipts that will soon be written to, removes what has served its time, old write
   * receipts and network addresses, and ends pointers of inboxes that were read long ago.
   */
  'retention.sweep': Joi.object({}),
} as const;

export type JobName = keyof typeof JOBS;

export interface JobPayloads {
  'outbox.apply': { outboxIds: string[] };
  'question.sweep': { outboxId: string; jobId: string };
  'meter.probe': { outboxId: string; runId: string };
  'meter.sweep': Record<string, never>;
  'amendment.tally': Record<string, never>;
  'search.index': Record<string, never>;
  'overview.recompute': Record<string, never>;
  'karma.foldPool': Record<string, never>;
  'retention.sweep': Record<string, never>;
}

/** The payload, or throws: a job that does not fit its schema is a fault of ours and must be seen. */
export function checkedPayload<Name extends JobName>(name: Name, payload: unknown): JobPayloads[Name] {
  const { value, error } = JOBS[name].validate(payload, { convert: false });
  if (error) throw new Error(`${name}: ${error.message}`);
  return value as JobPayloads[Name];
}
