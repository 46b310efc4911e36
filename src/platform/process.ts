import { exitWith } from './cannotStart.ts';

const STOP_TIMEOUT_MS = 25_000;

/** Something that was started and can be stopped in good order. */
export interface Running {
  readonly url?: string | undefined;
  readonly opsUrl?: string | undefined;
  stop(): Promise<void>;
}

/**
 * The life of a process: starts, tells a waiting parent `{ready: true, url, opsUrl}`, and on SIGTERM, SIGINT or SIGHUP stops in good
 * order. Exits 1 when it cannot start (`exitWith`).
 */
export async function runProcess(start: () => Promise<Running>): Promise<void> {
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    exitWith(error);
  }
  process.send?.({ ready: true, url: running.url, opsUrl: running.opsUrl });
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
    await running.stop();
    process.exit(0);
  };
  // SIGHUP: a terminal was closed, or whoever renames a log sends it; by default it ends Node.js at once, under `nohup` too.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop());
}
