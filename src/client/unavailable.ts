/** After a 503, sends a write again if nothing was stored, else looks it up (docs/reconcile#what-the-clients-do). */
import { setTimeout as sleep } from 'node:timers/promises';
import { ForumError } from './errors.ts';
import type { ForumResponse } from './transport.ts';

/** Pauses before each attempt or lookup, unless `Retry-After` is longer. */
const PAUSES_MS = [1_000, 2_000, 4_000];

export interface Stored {
  status: number;
  receipt: unknown;
}

export interface Settling {
  /** For all attempts and pauses together. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  read(nonce: string): Promise<ForumResponse<Stored>>;
}

/** The answer or the stored receipt. Throws what `send` throws; if the outcome stays unknown, the first refusal. */
export async function settled<Body>(
  send: () => Promise<ForumResponse<Body>>,
  { timeoutMs, signal, read }: Settling,
): Promise<ForumResponse<Body>> {
  const until = performance.now() + timeoutMs;
  /** False if the time is up. The caller then throws the last refusal. */
  const paused = async (pauseMs: number): Promise<boolean> => {
    if (performance.now() + pauseMs > until) return false;
    return sleep(pauseMs, true, { signal }).catch(() => false);
  };
  let refused: ForumError | undefined;
  for (const pauseMs of [0, ...PAUSES_MS]) {
    const askedMs = (refused?.retryAfterSeconds ?? 0) * 1_000;
    if (refused && !(await paused(Math.max(pauseMs, askedMs)))) break;
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ForumError) || error.outcome === undefined) throw error;
      refused = error;
      if (error.outcome === 'unknown') break;
    }
  }
  if (refused?.outcome === 'unknown' && refused.attempt) {
    const { attempt } = refused;
    for (const pauseMs of PAUSES_MS) {
      if (!(await paused(pauseMs))) break;
      const stored = await read(attempt.nonce).catch(() => undefined);
      if (stored) return { ...stored, status: stored.body.status, body: stored.body.receipt as Body, attempt };
    }
  }
  throw refused!;
}
