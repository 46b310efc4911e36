import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileTree } from '../../src/tools/dev/compiled.ts';

const PROBE = new URL('children/probe.mjs', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The programs of the service, and the scripts that start them in production. */
const SCRIPTS = { 'src/main': 'api:built', 'workers/main': 'worker:built' } as const;
const STOP_TIMEOUT_MS = 10_000;

interface Options {
  readonly env?: Record<string, string>;
  /** The file descriptor for standard output. */
  readonly output?: number;
}

/** A child process that measures or is measured. The bench asks it for CPU time and for answers of its module. */
export class Child {
  readonly #process: ChildProcess;
  readonly url: string | undefined;

  private constructor(started: ChildProcess, url: string | undefined) {
    this.#process = started;
    this.url = url;
  }

  /** Starts the module (relative to this file) and waits for `{ready: true}`. Throws if the process ends first. */
  static async start(module: string, options?: Options): Promise<Child> {
    const path = fileURLToPath(new URL(module, import.meta.url));
    return Child.#fork(path, ['--import', import.meta.resolve('tsx')], options);
  }

  /** Starts a program of the service, compiled as in production. */
  static async startService(program: keyof typeof SCRIPTS, options?: Options): Promise<Child> {
    const flags = await flagsOf(SCRIPTS[program]);
    return Child.#fork(join(await compileTree(ROOT), `${program}.js`), flags, options);
  }

  static async #fork(path: string, execArgv: string[], { env = {}, output }: Options = {}): Promise<Child> {
    const started = fork(path, {
      execArgv: [...execArgv, '--import', PROBE],
      env: { ...process.env, ...env },
      serialization: 'advanced',
      stdio: ['ignore', output ?? 'inherit', 'inherit', 'ipc'],
    });
    const { url } = await nextMessage<{ ready: true; url?: string }>(started, (message) => 'ready' in message);
    return new Child(started, url);
  }

  /** Sends a question and waits for its answer. Ask one question at a time. */
  async ask<T>(question: string, value?: unknown): Promise<T> {
    const answered = nextMessage<{ answer: string; value: T }>(
      this.#process,
      (message) => (message as { answer?: string }).answer === question,
    );
    this.#process.send({ question, value });
    return (await answered).value;
  }

  /** User and system time used so far, in microseconds. */
  async cpuMicroseconds(): Promise<number> {
    return this.ask<number>('cpu');
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  }
}

/** The flags between `node` and the program in a script of package.json. */
async function flagsOf(script: string): Promise<string[]> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  return scripts[script].split(' ').slice(1, -1);
}

/** The next message that fits. Rejects if the process ends first. */
function nextMessage<T extends object>(child: ChildProcess, fits: (message: object) => boolean): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: object) => {
      if (!fits(message)) return;
      settle();
      resolve(message as T);
    };
    const onExit = (code: number | null, signal: string | null) => {
      settle();
      reject(new Error(`a child process ended with ${signal ?? code}`));
    };
    const settle = () => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}
