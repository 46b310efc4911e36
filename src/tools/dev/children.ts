import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';

const READY_WITHIN_MS = 60_000;
/** Longer than the programs need at most. */
const DRAIN_WITHIN_MS = 30_000;
const root = fileURLToPath(new URL('../../..', import.meta.url));

interface ReadyMessage {
  url?: string;
  opsUrl?: string;
}

/** A compiled tree and a path in it, such as `src/main.js`. */
interface Program {
  tree: string;
  path: string;
}

export interface Child {
  title: string;
  /** Rejects if the program ends before it is ready. */
  ready: Promise<ReadyMessage>;
  /** Resolves with the reason when the program has ended. */
  ended: Promise<string>;
  /** Sends SIGTERM and waits for the end. Kills the program after 30 s. */
  drain(): Promise<void>;
}

/**
 * Starts a program that sends `{ready: true, url?, opsUrl?}` when it is ready. `onLine` gets the lines of its standard
 * output.
 */
export function startChild(
  title: string,
  program: Program,
  env: NodeJS.ProcessEnv,
  onLine?: (line: string) => void,
): Child {
  const child = forkProgram(program, env, onLine ? 'pipe' : 'inherit');
  if (onLine && child.stdout) createInterface({ input: child.stdout }).on('line', onLine);
  const ended = endOf(child);
  const ready = readinessOf(title, child, ended);
  ready.catch(() => undefined);
  return { title, ready, ended, drain: () => drain(child, ended) };
}

/** Runs a program to its end and returns its output. Throws if it fails. */
export async function runToEnd(title: string, program: Program, env: NodeJS.ProcessEnv): Promise<string> {
  const child = forkProgram(program, env, 'pipe');
  const [output, reason] = await Promise.all([text(child.stdout!), endOf(child)]);
  if (child.exitCode !== 0) throw new Error(`${title}: ${reason}\n${output}`.trimEnd());
  return output.trim();
}

function forkProgram({ tree, path }: Program, env: NodeJS.ProcessEnv, output: 'pipe' | 'inherit'): ChildProcess {
  const followParent = pathToFileURL(join(tree, 'src/tools/dev/followParent.js')).href;
  return fork(join(tree, path), {
    cwd: root,
    env,
    execArgv: ['--enable-source-maps', '--import', followParent],
    // Own process groups, so that Ctrl-C reaches only `npm start`, which drains all programs in order.
    detached: true,
    stdio: ['ignore', output, 'inherit', 'ipc'],
  });
}

async function endOf(child: ChildProcess): Promise<string> {
  return await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ? `ended by ${signal}` : `ended with code ${code}`));
  });
}

async function readinessOf(title: string, child: ChildProcess, ended: Promise<string>): Promise<ReadyMessage> {
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${title} is not ready after 60 s`)), READY_WITHIN_MS);
    child.on('message', (message: ReadyMessage & { ready?: boolean }) => {
      if (!message.ready) return;
      clearTimeout(timer);
      resolve(message);
    });
    void ended.then((reason) => {
      clearTimeout(timer);
      reject(new Error(`${title} ${reason} before it was ready`));
    });
  });
}

async function drain(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), DRAIN_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}
