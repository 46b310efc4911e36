import { Worker } from 'node:worker_threads';

export interface ThreadPoolOptions {
  readonly threads: number;
  /** From when a thread begins a task; a thread that takes longer is replaced. */
  readonly timeLimitMs: number;
  /** Tasks that wait for a thread, of those that go first and of the others; one more is refused. */
  readonly maxWaiting: number;
  /** A task that waited longer is refused instead of begun: its caller has all but given up. */
  readonly maxWaitMs: number;
}

const THREAD_HEAP_MB = 64;

/** The pool has no time for the task, or it took too long (`isSlow`); nothing is known of its result. */
export class PoolBusy extends Error {
  override name = 'PoolBusy';
  readonly isSlow: boolean;

  constructor(isSlow = false) {
    super();
    this.isSlow = isSlow;
  }
}

interface Waiting<Result> {
  readonly text: string;
  readonly sinceMs: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: Error) => void;
}

interface Thread<Result> {
  readonly worker: Worker;
  isReady: boolean;
  /** A result that it had posted before may still come, and leaves it idle. */
  isEnding: boolean;
  task?: Waiting<Result> | undefined;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Work that is kept off the event loop: a few threads, started when the first task comes and kept, bounded queues, and an
 * end to every task. A thread posts `ready`, then answers each text with its result.
 */
export class ThreadPool<Result> {
  readonly #options: ThreadPoolOptions;
  readonly #module: URL;
  readonly #threads = new Set<Thread<Result>>();
  #first: Waiting<Result>[] = [];
  #others: Waiting<Result>[] = [];
  #stopped: boolean = false;

  /** `module` is the code of a thread, as `new URL('./checkerWorker.ts', import.meta.url)`. */
  constructor(module: URL, options: ThreadPoolOptions) {
    this.#module = module;
    this.#options = options;
  }

  /** What a thread answers to a text; `goesFirst`: before all that do not. Throws `PoolBusy`. */
  async run(text: string, { goesFirst = false } = {}): Promise<Result> {
    const line = goesFirst ? this.#first : this.#others;
    if (this.#stopped || line.length >= this.#options.maxWaiting) throw new PoolBusy();
    return new Promise((resolve, reject) => {
      line.push({ text, sinceMs: performance.now(), resolve, reject });
      this.#assign();
    });
  }

  /** Ends all threads; what is under way or waiting is refused. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#refuseWaiting();
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #assign(): void {
    const threads = [...this.#threads];
    for (const thread of threads) if (thread.isReady && !thread.isEnding && !thread.task) this.#begin(thread);
    const starting = threads.filter(({ isReady }) => !isReady).length;
    const waiting = this.#first.length + this.#others.length;
    const wanted = Math.min(waiting - starting, this.#options.threads - threads.length);
    for (let count = 0; count < wanted; count++) this.#start();
  }

  #begin(thread: Thread<Result>): void {
    const task = this.#nextTask();
    if (!task) return;
    thread.task = task;
    thread.timer = setTimeout(() => {
      thread.isEnding = true;
      void thread.worker.terminate();
    }, this.#options.timeLimitMs);
    thread.worker.postMessage(task.text);
  }

  #nextTask(): Waiting<Result> | undefined {
    for (;;) {
      const task = this.#first.shift() ?? this.#others.shift();
      if (!task || performance.now() - task.sinceMs <= this.#options.maxWaitMs) return task;
      task.reject(new PoolBusy());
    }
  }

  #start(): void {
    const worker = startWorker(this.#module);
    // Who waits for a result keeps the process alive by its connection; an idle pool must not.
    worker.unref();
    const thread: Thread<Result> = { worker, isReady: false, isEnding: false };
    this.#threads.add(thread);
    worker.on('message', (message: 'ready' | Result) => {
      if (message === 'ready') thread.isReady = true;
      else this.#finished(thread).resolve(message as Result);
      this.#assign();
    });
    // What went wrong in it: 'exit' follows and says all that matters.
    worker.on('error', () => {});
    worker.on('exit', () => this.#ended(thread));
  }

  #finished(thread: Thread<Result>): Waiting<Result> {
    const task = thread.task!;
    clearTimeout(thread.timer);
    thread.task = undefined;
    return task;
  }

  #ended(thread: Thread<Result>): void {
    this.#threads.delete(thread);
    if (thread.task) this.#finished(thread).reject(new PoolBusy(!this.#stopped));
    // Threads that cannot even start would be started again for ever.
    if (!thread.isReady) this.#refuseWaiting();
    if (!this.#stopped) this.#assign();
  }

  #refuseWaiting(): void {
    const refused = [...this.#first, ...this.#others];
    this.#first = [];
    this.#others = [];
    for (const { reject } of refused) reject(new PoolBusy());
  }
}

/** From TypeScript a thread has to install the loader itself: Node 20 does not hand the main thread's on. */
function startWorker({ href }: URL): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: THREAD_HEAP_MB };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(href.replace(/\.ts$/, '.js')), { resourceLimits });
  // Loaded by `require`, as tests of pure functions are, a module cannot ask how an import would resolve.
  const loader = JSON.stringify(import.meta.resolve?.('tsx/esm/api') ?? 'tsx/esm/api');
  const source = JSON.stringify(href);
  return new Worker(`import(${loader}).then((tsx) => { tsx.register(); return import(${source}); })`, {
    eval: true,
    resourceLimits,
  });
}
