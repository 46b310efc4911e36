import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { evaluate, parseProgram, type Verdict } from '../checker/index.ts';

export type { Verdict } from '../checker/index.ts';

/** A program that `parseProgram` accepts for these outcomes, and an answer that `answerProblem` has nothing against. */
export interface CheckTask {
  readonly program: unknown;
  readonly outcomes: readonly string[];
  readonly answer: unknown;
}

export interface CheckerPoolOptions {
  readonly threads: number;
  /** From when a thread begins a task; a thread that takes longer is replaced. */
  readonly timeLimitMs: number;
  /** Tasks that wait for a thread; one more is refused. */
  readonly maxWaiting: number;
  /** A task that waited longer is refused instead of begun: its caller has all but given up. */
  readonly maxWaitMs: number;
}

/** One core is left to the event loop. The worst admissible task costs 50 ms of CPU, so 1 s allows for a busy host. */
const DEFAULTS: CheckerPoolOptions = {
  threads: Math.min(4, Math.max(1, availableParallelism() - 1)),
  timeLimitMs: 1_000,
  maxWaiting: 256,
  maxWaitMs: 8_000,
};

/**
 * Up to this product of the units of program and answer a task is done on the spot. Nothing that the checker does costs
 * more than a few nanoseconds a unit of the program and unit of the answer (measured: 1.4 ms a million), so that such
 * a task takes 0.4 ms at most, which is what handing it to a thread and back costs on a busy host.
 */
const INLINE_UNITS = 250_000;

const THREAD_HEAP_MB = 64;

/** The pool has no time for the task, or took too long over it; nothing is known of its verdict. */
export class CheckerBusy extends Error {
  override name = 'CheckerBusy';
}

interface Waiting {
  readonly text: string;
  readonly sinceMs: number;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (reason: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
  task?: Waiting | undefined;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Runs the checker off the event loop (docs/challenges#what-a-check-may-cost): a few threads, started when the first
 * heavy task comes and kept, a bounded queue, and an end to every task. Light tasks are done on the spot.
 */
export class CheckerPool {
  readonly #options: CheckerPoolOptions;
  readonly #threads = new Set<Thread>();
  #waiting: Waiting[] = [];
  #stopped: boolean = false;

  constructor(options: Partial<CheckerPoolOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /** The verdict; throws `CheckerBusy`. */
  async check({ program, outcomes, answer }: CheckTask): Promise<Verdict> {
    const programText = JSON.stringify(program);
    const answerText = JSON.stringify(answer);
    if (programText.length * answerText.length <= INLINE_UNITS) {
      return evaluate(parseProgram(program, { outcomes }), answer);
    }
    return this.#queue(`[${programText},${JSON.stringify(outcomes)},${answerText}]`);
  }

  /** Ends all threads; what is under way or waiting is refused. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#refuseWaiting();
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #queue(text: string): Promise<Verdict> {
    if (this.#stopped || this.#waiting.length >= this.#options.maxWaiting) throw new CheckerBusy();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, sinceMs: performance.now(), resolve, reject });
      this.#assign();
    });
  }

  #assign(): void {
    const threads = [...this.#threads];
    for (const thread of threads) if (thread.isReady && !thread.task) this.#begin(thread);
    const starting = threads.filter(({ isReady }) => !isReady).length;
    const wanted = Math.min(this.#waiting.length - starting, this.#options.threads - threads.length);
    for (let count = 0; count < wanted; count++) this.#start();
  }

  #begin(thread: Thread): void {
    const task = this.#nextTask();
    if (!task) return;
    thread.task = task;
    thread.timer = setTimeout(() => void thread.worker.terminate(), this.#options.timeLimitMs);
    thread.worker.postMessage(task.text);
  }

  #nextTask(): Waiting | undefined {
    for (;;) {
      const task = this.#waiting.shift();
      if (!task || performance.now() - task.sinceMs <= this.#options.maxWaitMs) return task;
      task.reject(new CheckerBusy());
    }
  }

  #start(): void {
    const worker = startWorker();
    // Who waits for a verdict keeps the process alive by its connection; an idle pool must not.
    worker.unref();
    const thread: Thread = { worker, isReady: false };
    this.#threads.add(thread);
    worker.on('message', (message: 'ready' | Verdict) => {
      if (message === 'ready') thread.isReady = true;
      else this.#finished(thread).resolve(message);
      this.#assign();
    });
    // What went wrong in it: 'exit' follows and says all that matters.
    worker.on('error', () => {});
    worker.on('exit', () => this.#ended(thread));
  }

  #finished(thread: Thread): Waiting {
    const task = thread.task!;
    clearTimeout(thread.timer);
    thread.task = undefined;
    return task;
  }

  #ended(thread: Thread): void {
    this.#threads.delete(thread);
    if (thread.task) this.#finished(thread).reject(new CheckerBusy());
    // Threads that cannot even start would be started again for ever.
    if (!thread.isReady) this.#refuseWaiting();
    if (!this.#stopped) this.#assign();
  }

  #refuseWaiting(): void {
    const refused = this.#waiting;
    this.#waiting = [];
    for (const { reject } of refused) reject(new CheckerBusy());
  }
}

/** From TypeScript a thread has to install the loader itself: Node 20 does not hand the main thread's on. */
function startWorker(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: THREAD_HEAP_MB };
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL('./checkerWorker.js', import.meta.url), { resourceLimits });
  }
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const source = JSON.stringify(new URL('./checkerWorker.ts', import.meta.url).href);
  return new Worker(`import(${loader}).then((tsx) => { tsx.register(); return import(${source}); })`, {
    eval: true,
    resourceLimits,
  });
}
