import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** For a request that is given up to say so. */
const LAST_WORDS_MS = 250;

/**
 * Aborts once this process is told to end, which it then does within a moment: who has sent a write is told its nonce, by
 * which it can be asked for (docs/reconcile). A second signal ends it at once.
 */
export function whenInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of SIGNALS)
    process.once(signal, () => {
      controller.abort(new Error(`interrupted by ${signal}`));
      setTimeout(() => process.exit(128 + constants.signals[signal]), LAST_WORDS_MS);
    });
  return controller.signal;
}

/** `fetch` that also gives up when a signal says so. */
export const abortedBy =
  (interrupted: AbortSignal, send: typeof fetch): typeof fetch =>
  (input, init = {}) =>
    send(input, { ...init, signal: init.signal ? AbortSignal.any([init.signal, interrupted]) : interrupted });
