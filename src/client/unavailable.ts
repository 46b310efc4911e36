/**
 * What the client does when the service is `unavailable` and says what became of the write (docs/reconcile#what-the-clients-do). A
 * write that surely left nothing behind is sent again; one that may have been committed is asked for by its nonce, and never sent again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ForumError } from './errors.ts';
import type { ForumResponse } from './transport.ts';

/** Pauses before each repetition or question, unless `Retry-After` is longer. */
const PAUSES_MS = [1_000, 2_000, 4_000];

export interface Stored {
  status: number;
  receipt: unknown;
}

export interface Settling {
  /** For all of it, from the first request to the last pause. */
  timeoutMs: number;
  /** Gives up between requests. */
  signal: AbortSignal | undefined;
  /** What the service stored under a nonce. Throws ForumError `not_found` while it has stored nothing. */
  read(nonce: string): Promise<ForumResponse<Stored>>;
}

/**
 * The answer of a write, or what the service stored of it. Throws what `send` throws, which is the first refusal where that leaves
 * open what became of the write.
 */
export async function settled<Body>(
  send: () => Promise<ForumResponse<Body>>,
  { timeoutMs, signal, read }: Settling,
): Promise<ForumResponse<Body>> {
  const until = performance.now() + timeoutMs;
  /** False when the time is up: then the error that led here is thrown. */
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
