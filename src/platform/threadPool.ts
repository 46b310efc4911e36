import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ThreadPoolOptions {
  readonly threads: number;
  /** Counted from the start of a task. A thread that takes longer is terminated. */
  readonly timeLimitMs: number;
  /** The length of each of the two queues: tasks that go first, and the others. */
  readonly maxWaiting: number;
  /** A task that waited longer is rejected instead of started, because its caller has probably given up. */
  readonly maxWaitMs: number;
}

const THREAD_HEAP_MB = 64;

/** The pool has no capacity for the task, or the task did not finish (`isSlow`). Its result is unknown. */
export class PoolBusy extends Error {
  override name = 'PoolBusy';
  readonly isSlow: boolean;

  constructor(isSlow = false) {
    super();
    this.isSlow = isSlow;
  }
}

interface Task<Result> {
  readonly text: string;
  readonly queuedAt: number;
  readonly resolve: (result: Promise<Result>) => void;
  readonly reject: (reason: Error) => void;
}

/** Runs tasks in worker threads. A thread posts `ready` once it has loaded, then one result for each text. */
export class ThreadPool<Result> {
  readonly #module: URL;
  readonly #options: ThreadPoolOptions;
  readonly #urgent: Task<Result>[] = [];
  readonly #others: Task<Result>[] = [];
  readonly #running = new Set<AbortController>();
  readonly #workers = new Set<Worker>();
  readonly #idle: Worker[] = [];
  #isStopped = false;

  constructor(module: URL, options: ThreadPoolOptions) {
    this.#module = module;
    this.#options = options;
  }

  /** The result of a thread for a text. Tasks with `goesFirst` start before all others. Throws `PoolBusy`. */
  async run(text: string, { goesFirst = false } = {}): Promise<Result> {
    const queue = goesFirst ? this.#urgent : this.#others;
    if (this.#isStopped || queue.length >= this.#options.maxWaiting) throw new PoolBusy();
    return new Promise((resolve, reject) => {
      queue.push({ text, queuedAt: performance.now(), resolve, reject });
      this.#startTasks();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const queue of [this.#urgent, this.#others]) for (const { reject } of queue.splice(0)) reject(new PoolBusy());
    for (const task of this.#running) task.abort();
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #startTasks(): void {
    while (this.#running.size < this.#options.threads) {
      const task = this.#urgent.shift() ?? this.#others.shift();
      if (!task) return;
      if (performance.now() - task.queuedAt > this.#options.maxWaitMs) task.reject(new PoolBusy());
      else task.resolve(this.#execute(task.text));
    }
  }

  async #execute(text: string): Promise<Result> {
    const task = new AbortController();
    this.#running.add(task);
    let worker = this.#idle.pop();
    let timer: NodeJS.Timeout | undefined;
    try {
      if (!worker) {
        worker = startWorker(this.#module);
        this.#workers.add(worker);
        await once(worker, 'message', task);
      }
      timer = setTimeout(() => task.abort(), this.#options.timeLimitMs);
      worker.postMessage(text);
      const [result] = (await once(worker, 'message', task)) as [Result];
      this.#idle.push(worker);
      return result;
    } catch {
      this.#workers.delete(worker!);
      void worker!.terminate();
      throw new PoolBusy(timer !== undefined && !this.#isStopped);
    } finally {
      clearTimeout(timer);
      this.#running.delete(task);
      this.#startTasks();
    }
  }
}

/** Runs a module in a thread. TypeScript needs the loader in each thread: Node 20 does not inherit it. */
function startWorker({ href }: URL): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: THREAD_HEAP_MB };
  // Loaded by `require`, as tests of pure functions are, a module cannot ask how an import would resolve.
  const loader = JSON.stringify(import.meta.resolve?.('tsx/esm/api') ?? 'tsx/esm/api');
  const source = `import(${loader}).then((tsx) => { tsx.register(); return import(${JSON.stringify(href)}); })`;
  const worker = import.meta.url.endsWith('.ts')
    ? new Worker(source, { eval: true, resourceLimits })
    : new Worker(new URL(href.replace(/\.ts$/, '.js')), { resourceLimits });
  // An idle thread does not keep the process alive.
  worker.unref();
  // The task that it ran reports the error.
  worker.on('error', () => {});
  return worker;
}
