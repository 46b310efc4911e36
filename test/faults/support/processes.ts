import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileWithOwn } from '../../support/compiledTree.ts';
import { LATE_OPTIMIZATION } from '../../support/engine.ts';

const PROGRAMS = { api: 'src/main.js', worker: 'workers/main.js' };
/** At its start an API runs code too rarely for optimization to pay off. */
const OPTIONS = { api: LATE_OPTIMIZATION, worker: [] };
const THIS_TREE = fileURLToPath(new URL('../../..', import.meta.url));

/** The program that starts a process and then becomes it. By default Node itself. */
export type Launch = Pick<ForkOptions, 'execPath' | 'execArgv' | 'detached'>;

export interface ServiceProcess {
  readonly pid: number;
  /** The address of an API; empty for a worker. */
  readonly url: string;
  readonly opsUrl: string;
  readonly output: () => string;
  /** Sends a signal and waits for the end. Returns the exit code and the duration. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
}

/** The settings that a tree knows: a process warns about others. */
async function knownTo(root: string, settings: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const source = await readFile(join(root, 'src/settings.ts'), 'utf8').catch(() => '');
  return Object.fromEntries(Object.entries(settings).filter(([name]) => source.includes(`'${name}'`)));
}

/**
 * Starts a process of the service of this tree or another, as in production. Resolves when it reports that it is ready.
 */
export async function startProcess(
  kind: keyof typeof PROGRAMS,
  env: { DATABASE_URL: string; REDIS_URL: string } & Record<string, string>,
  root = THIS_TREE,
  launch: Launch = {},
): Promise<ServiceProcess> {
  const child = fork(join(await compileWithOwn(root), PROGRAMS[kind]), {
    cwd: root,
    ...launch,
    execArgv: [...(launch.execArgv ?? []), ...OPTIONS[kind]],
    env: {
      ...process.env,
      PORT: '0',
      OPS_PORT: '0',
      LOG_LEVEL: 'warn',
      LIMIT_REGISTRATIONS_PER_ADDRESS: '0',
      PROOF_DELAY_SECONDS: '0',
      ...(await knownTo(root, { KARMA_VOTER_AGE_SECONDS: '0', AMENDMENT_VOTER_AGE_SECONDS: '0' })),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // If a set-up fails half-way, the other processes must not continue to run.
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.once('exit', () => process.off('exit', killAtExit));
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const ready = await Promise.race([once(child, 'message'), exited.then(() => undefined)]);
  if (!ready) throw new Error(`${kind} did not start:\n${output.join('')}`);
  const { url = '', opsUrl = '' } = ready[0] as { url?: string; opsUrl?: string };
  return { pid: child.pid!, url, opsUrl, output: () => output.join(''), end: (signal) => end(child, signal, exited) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals, exited: Promise<[number | null]>) {
  const startedAt = performance.now();
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  const [code] = await exited;
  return { code, ms: performance.now() - startedAt };
}
