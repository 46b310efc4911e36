import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../../../src/tools/dev/account.ts';
import { scaleWait } from '../../support/waits.ts';

const READY_WITHIN_MS = 10_000;

/** A program that a test starts beside the services of the run. */
export interface OwnServer {
  readonly pid: number;
  stop(): Promise<void>;
}

export interface OwnServerOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly account: Account | undefined;
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Runs in its own session, so that other processes of the test do not reduce its share of the processor. */
  readonly detached?: boolean;
  /** Written to standard input: a configuration with a password. */
  readonly input?: string;
  /** Rejects until the server responds. */
  readonly probe: () => Promise<unknown>;
}

/** Starts a server and waits until it responds. It ends with the process of the test at the latest. */
export async function startOwnServer({ file, args, input, probe, ...options }: OwnServerOptions): Promise<OwnServer> {
  const { account, cwd, env, detached = false } = options;
  const child = spawn(file, args, { ...account, cwd, detached, env: { ...process.env, ...env } });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)));
  // If the server ends at once, the pipe breaks. Its output has the reason.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const exited = once(child, 'exit');
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.once('exit', () => process.off('exit', killAtExit));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (!hasEnded()) child.kill('SIGKILL');
    await exited;
  };
  const deadline = performance.now() + scaleWait(READY_WITHIN_MS);
  for (;;) {
    const problem = await probe().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (problem === undefined) return { pid: child.pid!, stop };
    if (hasEnded() || performance.now() > deadline) {
      await stop();
      throw new Error(`${file} did not start:\n${output.join('').slice(-2_000)}`, { cause: problem });
    }
    await sleep(20);
  }
}
