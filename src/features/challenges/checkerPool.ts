import { availableParallelism } from 'node:os';
import { evaluate, parseProgram, type Verdict } from '../../checker/index.ts';
import { unavailable } from '../../operation/errors.ts';
import type { CheckTask } from '../../operation/operation.ts';
import { PoolBusy, ThreadPool, type ThreadPoolOptions } from '../../platform/threadPool.ts';

/** One core is left to the event loop. The dearest valid task costs 50 ms of CPU; 1 s allows for a busy host. */
const DEFAULTS: ThreadPoolOptions = {
  threads: Math.min(4, Math.max(1, availableParallelism() - 1)),
  timeLimitMs: 1_000,
  maxWaiting: 256,
  maxWaitMs: 8_000,
};

/** Tasks up to this product of the lengths of program and answer take at most 0.4 ms, as much as using a thread. */
const INLINE_UNITS = 250_000;

/** Runs checker programs: light ones at once, heavy ones in threads (docs/challenges#what-a-check-may-cost). */
export class CheckerPool {
  readonly #threads: ThreadPool<Verdict>;

  constructor(options: Partial<ThreadPoolOptions> = {}) {
    this.#threads = new ThreadPool(new URL('./checkerWorker.ts', import.meta.url), { ...DEFAULTS, ...options });
  }

  /** Throws `unavailable` if no thread is free in time. Writes pass `goesFirst`, so that previews cannot delay them. */
  async check({ program, outcomes, answer }: CheckTask, { goesFirst = false } = {}): Promise<Verdict> {
    const programText = JSON.stringify(program);
    const answerText = JSON.stringify(answer);
    if (programText.length * answerText.length <= INLINE_UNITS) {
      return evaluate(parseProgram(program, { outcomes }), answer);
    }
    const text = `[${programText},${JSON.stringify(outcomes)},${answerText}]`;
    return this.#threads.run(text, { goesFirst }).catch((error: unknown) => {
      throw error instanceof PoolBusy ? unavailable('the checker is busy') : error;
    });
  }

  stop(): Promise<void> {
    return this.#threads.stop();
  }
}
