import { commandLine, identify, isRunning, type ProcessIdentity, parentOf } from './processes.ts';

const lookEveryMs = 500;

/**
 * Calls back once when the process that started this one has gone: a signal to npm does not reach the node below it,
 * and kill -9 reaches nobody else. Does not keep the process alive.
 */
export async function onParentGone(callback: () => void): Promise<void> {
  const parent = process.ppid;
  const npm = await npmAbove(parent);
  const look = async () => {
    if (process.ppid !== parent || (npm && !(await isRunning(npm)))) callback();
    else setTimeout(look, lookEveryMs).unref();
  };
  await look();
}

/** npm runs a script through `sh -c`, and that shell outlives an npm that was killed. */
async function npmAbove(parent: number): Promise<ProcessIdentity | undefined> {
  if (!process.env.npm_lifecycle_event || !/^\S*sh -c /.test(await commandLine(parent))) return undefined;
  const npm = await parentOf(parent);
  return npm === undefined ? undefined : await identify(npm);
}
