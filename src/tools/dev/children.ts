import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const readyWithinMs = 60_000;
// Longer than the programs give themselves.
const drainWithinMs = 30_000;
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Where a process listens, if it does, and where its ops listener is. */
export interface ReadyMessage {
  url?: string;
  opsUrl?: string;
}

/** A compiled tree and a path in it, such as `src/main.js`. */
export interface Program {
  tree: string;
  path: string;
}

export interface Child {
  title: string;
  /** Settles when the process reports that it is ready. Rejects when it ends before. */
  ready: Promise<ReadyMessage>;
  /** Settles with the reason when the process has ended, whatever the reason. */
  ended: Promise<string>;
  /** Asks it to drain with SIGTERM and waits for its end; kills it after 30 s. */
  drain(): Promise<void>;
}

/**
 * Starts a program which sends `{ready: true, url?, opsUrl?}` when it is ready.
 * `onLine` is given what it writes to standard output; without it that goes to our own as it is.
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

/** Runs one to its end and returns what it printed. Throws when it fails. */
export async function runToEnd(title: string, program: Program, env: NodeJS.ProcessEnv): Promise<string> {
  const child = forkProgram(program, env, 'pipe');
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const reason = await endOf(child);
  if (child.exitCode !== 0) throw new Error(`${title}: ${reason}\n${output}`.trimEnd());
  return output.trim();
}

function forkProgram({ tree, path }: Program, env: NodeJS.ProcessEnv, output: 'pipe' | 'inherit'): ChildProcess {
  const followParent = pathToFileURL(join(tree, 'src/tools/dev/followParent.js')).href;
  return fork(join(tree, path), {
    cwd: root,
    env,
    execArgv: ['--enable-source-maps', '--import', followParent],
    // A process group of its own: Ctrl-C reaches only `npm start`, which then drains everything in order.
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
    const timer = setTimeout(() => reject(new Error(`${title} is not ready after 60 s`)), readyWithinMs);
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
  const timer = setTimeout(() => child.kill('SIGKILL'), drainWithinMs);
  await ended;
  clearTimeout(timer);
}
