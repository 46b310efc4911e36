import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileTree } from '../../../../src/tools/dev/compiled.ts';
import { scaleWait, WaitTimeout } from '../../../support/waits.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const START_TIMEOUT_MS = 15_000;

/** A process of the service, started as in production, with everything that it ever wrote. */
export interface ServiceProcess {
  readonly url: string;
  readonly output: () => string;
  /** Ends it at once, in the middle of whatever it does. */
  kill(): Promise<void>;
  /** Asks it to stop in good order. */
  stop(): Promise<void>;
}

/** Starts `src/main.js` or `workers/main.js` with this environment alone, and waits until it is ready. */
export async function startProcess(file: string, env: Record<string, string>): Promise<ServiceProcess> {
  const child = fork(join(await compileTree(ROOT), file), [], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => chunks.push(String(chunk)));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  const url = await ready(child).catch(async (error: Error) => {
    await end('SIGKILL');
    error.message = `${file}: ${error.message}\n${chunks.join('')}`;
    throw error;
  });
  return { url, output: () => chunks.join(''), kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

async function ready(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new WaitTimeout('not ready in time')), scaleWait(START_TIMEOUT_MS));
    child.once('message', (message: { url?: string }) => {
      clearTimeout(timer);
      resolve(message.url ?? '');
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code}`));
    });
  });
}
