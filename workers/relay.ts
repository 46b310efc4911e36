import { setTimeout as sleep } from 'node:timers/promises';
import type { JobsOptions } from 'bullmq';
import { type Db, manyRows } from '../src/platform/postgres/postgres.ts';
import type { Span, Tracing } from '../src/platform/tracing.ts';
import type { OwnJobKind } from '../src/recording/events.ts';
import { OutboxStart } from '../src/recording/outbox.ts';
import { type JobPayloads, type JobQueues, type Origin, originsOf, spansBelow } from './queues.ts';

export const RELAY_BATCH = 500;
/** A batch that is not done by then is handed over again, so a lost Redis delays an event by this time. */
const LEASE_SECONDS = 5;
const POLL_MS = 25;
/** The pause after a small batch: gathering more rows would save little, and delay notifications. */
const FEW = 16;
const FEW_POLL_MS = 14;
/**
 * While no event comes, the pause is a hundredth of the silence. The event that ends the silence waits this long at
 * most.
 */
const IDLE_SHARE = 0.01;
const MAX_IDLE_POLL_MS = 500;
const FAILURE_WAIT_MS = 500;
/** Batches that may wait in the queue. Others stay in the outbox, where their leases do not expire. */
const MAX_WAITING = 20;

/** Retries outlast a restart of the database. Rows that still fail are leased again later. */
const APPLY_OPTIONS: JobsOptions = { attempts: 3, backoff: { type: 'exponential', delay: 200 } };
/** The relay leases the row again while its own job runs; this prevents a second job. */
const OWN_JOB_ONCE_MS = 60_000;

export interface OutboxRow {
  readonly outboxId: string;
  readonly kind: string;
  readonly subject: string;
  readonly requestId: string | null;
  readonly traceId: string | null;
}

/** Leases up to a batch of free rows for a few seconds; `from` is where rows begin (`OutboxStart`). */
export const leaseOutbox = manyRows<OutboxRow, [from: string]>(
  'outbox.lease',
  `UPDATE outbox SET lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
   WHERE outbox_id = ANY ((SELECT release.leasable_events($1, ${RELAY_BATCH}))::bigint[])
   RETURNING outbox_id AS "outboxId", kind, subject, request_id AS "requestId", trace_id AS "traceId"`,
);

/** Kinds of rows that need a job of their own, which deletes the row: the payload by kind. */
const OWN_JOBS = {
  'question.sweep': ({ outboxId, subject }) => ({ outboxId, jobId: subject }),
  'meter.probe': ({ outboxId, subject }) => ({ outboxId, runId: subject }),
} as const satisfies { [Name in OwnJobKind]: (row: OutboxRow) => JobPayloads[Name] };
type OwnJob = keyof typeof OWN_JOBS;

/** Other jobs must not delete rows of these kinds. */
export const OWN_JOB_KINDS: readonly string[] = Object.keys(OWN_JOBS);

const needsOwnJob = (kind: string): kind is OwnJob => kind in OWN_JOBS;

/** Polls, because NOTIFY costs two thirds of the write rate. Rows of a lost job are leased again. */
export async function runRelay(
  db: Db,
  queues: JobQueues,
  {
    signal,
    onFailure,
    tracing,
  }: { signal: AbortSignal; onFailure: (error: unknown) => void; tracing?: Tracing | undefined },
): Promise<void> {
  const start = new OutboxStart();
  let lastEventAt = performance.now();
  while (!signal.aborted) {
    const waitMs = await relayBatch(db, queues, start, tracing)
      .then(nextWaitMs)
      .catch((error: unknown) => {
        onFailure(error);
        return FAILURE_WAIT_MS;
      });
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
  }

  async function nextWaitMs(taken: number): Promise<number> {
    const now = performance.now();
    if (taken === 0) return Math.min(Math.max(IDLE_SHARE * (now - lastEventAt), POLL_MS), MAX_IDLE_POLL_MS);
    lastEventAt = now;
    if (taken < RELAY_BATCH) return taken < FEW ? FEW_POLL_MS : POLL_MS;
    return (await queues.waitingDeliveries()) < MAX_WAITING ? 0 : POLL_MS;
  }
}

async function relayBatch(
  db: Db,
  queues: JobQueues,
  start: OutboxStart,
  tracing: Tracing | undefined,
): Promise<number> {
  const startedAtMs = Date.now();
  const rows = await leaseOutbox(db, await start.below(db));
  const applied = rows.filter(({ kind }) => !needsOwnJob(kind));
  const outboxIds = applied.map(({ outboxId }) => outboxId);
  const spans = new RelaySpans(tracing, startedAtMs);
  if (outboxIds.length > 0)
    await queues.add('outbox.apply', { outboxIds }, APPLY_OPTIONS, spans.begin(originsOf(applied)));
  for (const row of rows) if (needsOwnJob(row.kind)) await addOwnJob(queues, row.kind, row, spans);
  spans.end();
  return rows.length;
}

async function addOwnJob<Name extends OwnJob>(
  queues: JobQueues,
  name: Name,
  row: OutboxRow,
  spans: RelaySpans,
): Promise<void> {
  const deduplication = { id: `${name}-${row.outboxId}`, ttl: OWN_JOB_ONCE_MS };
  await queues.add<OwnJob>(name, OWN_JOBS[name](row), { attempts: 1, deduplication }, spans.begin(originsOf([row])));
}

/** The spans of a batch, which begin with its lease. */
class RelaySpans {
  readonly #tracing: Tracing | undefined;
  readonly #startedAtMs: number;
  readonly #spans: Span[] = [];

  constructor(tracing: Tracing | undefined, startedAtMs: number) {
    this.#tracing = tracing;
    this.#startedAtMs = startedAtMs;
  }

  /** Returns the origins with the spans below which their jobs continue. */
  begin(origins: readonly Origin[]): Origin[] {
    return origins.map((origin) => {
      const [span] = spansBelow(this.#tracing, 'relay', [origin], this.#startedAtMs);
      if (!span) return origin;
      this.#spans.push(span);
      return { ...origin, spanId: span.position.spanId };
    });
  }

  end(): void {
    for (const span of this.#spans) span.end();
  }
}
