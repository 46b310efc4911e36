import { commandLine, identify, isRunning, type ProcessIdentity, parentOf } from './processes.ts';

const CHECK_EVERY_MS = 500;

/**
 * Calls back once when the process that started this one has ended, because neither kill -9 nor a signal to npm reaches
 * this one.
 */
export async function onParentGone(callback: () => void): Promise<void> {
  const parent = process.ppid;
  const npm = await npmAbove(parent);
  const check = async () => {
    if (process.ppid !== parent || (npm && !(await isRunning(npm)))) callback();
    else setTimeout(check, CHECK_EVERY_MS).unref();
  };
  await check();
}

/** The npm process that started the parent shell, which outlives it. */
async function npmAbove(parent: number): Promise<ProcessIdentity | undefined> {
  if (!process.env.npm_lifecycle_event || !/^\S*sh -c /.test(await commandLine(parent))) return undefined;
  const npm = await parentOf(parent);
  return npm === undefined ? undefined : await identify(npm);
}
