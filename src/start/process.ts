import { setTimeout as sleep } from 'node:timers/promises';
import { exitWith } from '../platform/startupError.ts';

const STOP_TIMEOUT_MS = 25_000;

export interface Running {
  readonly url?: string | undefined;
  readonly opsUrl?: string | undefined;
  /** How long it continues to serve after a request to stop; meanwhile probes report that it drains. */
  readonly shutdownDelayMs?: number;
  /** Reads the settings that reload again, at SIGUSR2. */
  reload(): void;
  stop(): Promise<void>;
}

/** Starts a process, sends a parent `{ready: true, url, opsUrl}`, and stops at a signal (docs/operations#stopping). */
export async function runProcess(start: (draining: AbortSignal) => Promise<Running>): Promise<void> {
  const draining = new AbortController();
  let running: Running | undefined;
  let reloadsLater = false;
  // Before the start, because the signal ends a process that does not listen to it.
  process.on('SIGUSR2', () => {
    if (running) running.reload();
    else reloadsLater = true;
  });
  try {
    running = await start(draining.signal);
  } catch (error) {
    exitWith(error);
  }
  if (reloadsLater) running.reload();
  const { shutdownDelayMs = 0, url, opsUrl } = running;
  const stop = async () => {
    if (draining.signal.aborted) return;
    draining.abort();
    await sleep(shutdownDelayMs);
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
    await running.stop();
    process.exit(0);
  };
  // By default SIGHUP ends Node.js at once, under `nohup` too.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop());
  // Last, because the parent may send a signal at once.
  process.send?.({ ready: true, url, opsUrl });
}
