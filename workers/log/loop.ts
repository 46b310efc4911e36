import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../src/config.ts';
import type { Postgres } from '../../src/platform/postgres/postgres.ts';
import { oneValue, sql } from '../../src/platform/postgres/postgres.ts';
import { type Queue, QueueStart, RUNNING } from '../../src/platform/postgres/queueStart.ts';
import { holdHead } from './head.ts';
import { sequence } from './sequencer.ts';
import { LogSigner } from './signer.ts';

/**
 * The age of a head while writes come (docs/log#the-tree). Writes in between share one batch, which rewrites the last
 * tiles once.
 */
const PAUSE_MS = 250;
/** The pause doubles up to this length while no writes come (docs/log#the-tree). */
const MAX_IDLE_PAUSE_MS = 1_000;
const FAILURE_PAUSE_MS = 2_000;

const PENDING: Queue = {
  oldest: sql(
    'log.oldestPending',
    `SELECT coalesce((SELECT pending_id FROM log_pending WHERE pending_id >= $1 ORDER BY pending_id LIMIT 1),
                     (SELECT last_value FROM public.evidence_ids)) AS oldest, ${RUNNING}`,
  ),
  first: '0',
  isBelow: (a, b) => BigInt(a) < BigInt(b),
  settledMs: 5_000,
};

/** Checked first, because locking the head writes to the WAL. */
const isWaiting = oneValue<boolean, [from: string]>(
  'log.isWaiting',
  `SELECT EXISTS (SELECT FROM log_pending WHERE pending_id >= $1)
       OR (SELECT max(registration_ordinal) FROM agents) > (SELECT agents FROM log_head) AS waiting`,
);

/** Every worker does so, and the lock on the head admits one at a time. Writes never wait for it. */
export async function keepLog(
  db: Postgres,
  config: Config,
  deployment: string,
  { signal, onFailure }: { signal: AbortSignal; onFailure: (error: unknown) => void },
): Promise<void> {
  let start = new QueueStart(PENDING);
  let signer: LogSigner | undefined;
  let reported: string | null = null;
  let pauseMs = PAUSE_MS;
  while (!signal.aborted) {
    const nextMs = await round().catch((error: unknown) => {
      onFailure(error);
      // Its knowledge of the log may be outdated.
      signer = undefined;
      return FAILURE_PAUSE_MS;
    });
    if (nextMs > 0) await sleep(nextMs, undefined, { signal }).catch(() => {});
  }

  async function round(): Promise<number> {
    const checksRoot = !signer;
    if (config.log.signingKey !== undefined) signer ??= await LogSigner.open(db, config, deployment);
    const from = await start.below(db);
    const waiting = (await isWaiting(db, from))!;
    // The first round notices a restored database without waiting for a write.
    const isFull =
      (waiting || (checksRoot && signer !== undefined)) &&
      (await db.inTransaction(async (transaction) => {
        const head = await holdHead(transaction);
        // A recovery makes entries wait again.
        if (head?.halted) start = new QueueStart(PENDING);
        if (!head || head.halted !== null) return false;
        if (signer && !(await signer.agrees(transaction, head, { checksRoot }))) return false;
        return (await sequence(transaction, head, from)).isFull;
      }));
    const halted = (await signer?.publish()) ?? null;
    if (halted !== null) start = new QueueStart(PENDING);
    if (halted !== null && halted !== reported) onFailure(new Error(`the log is halted: ${halted}`));
    reported = halted;
    pauseMs = waiting ? PAUSE_MS : Math.min(2 * pauseMs, MAX_IDLE_PAUSE_MS);
    return isFull ? 0 : pauseMs;
  }
}
