import { setTimeout as sleep } from 'node:timers/promises';
import { exitWith } from './startupError.ts';

const STOP_TIMEOUT_MS = 25_000;

export interface Running {
  readonly url?: string | undefined;
  readonly opsUrl?: string | undefined;
  /** How long it continues to serve after a request to stop; meanwhile probes report that it drains. */
  readonly shutdownDelayMs?: number;
  stop(): Promise<void>;
}

/** Starts a process, sends a parent `{ready: true, url, opsUrl}`, and stops at a signal (docs/operations#stopping). */
export async function runProcess(start: (draining: AbortSignal) => Promise<Running>): Promise<void> {
  const draining = new AbortController();
  let running: Running;
  try {
    running = await start(draining.signal);
  } catch (error) {
    exitWith(error);
  }
  const stop = async () => {
    if (draining.signal.aborted) return;
    draining.abort();
    await sleep(running.shutdownDelayMs ?? 0);
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
    await running.stop();
    process.exit(0);
  };
  // By default SIGHUP ends Node.js at once, under `nohup` too.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop());
  // Last, because the parent may send a signal at once.
  process.send?.({ ready: true, url: running.url, opsUrl: running.opsUrl });
}
