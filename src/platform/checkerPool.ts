import { availableParallelism } from 'node:os';
import { evaluate, parseProgram, type Verdict } from '../checker/index.ts';
import { ThreadPool, type ThreadPoolOptions } from './threadPool.ts';

export type { Verdict } from '../checker/index.ts';
/** The pool has no time for the task, or took too long over it; nothing is known of its verdict. */
export { PoolBusy as CheckerBusy } from './threadPool.ts';

/** A program that `parseProgram` accepts for these outcomes, and an answer that `answerProblem` has nothing against. */
export interface CheckTask {
  readonly program: unknown;
  readonly outcomes: readonly string[];
  readonly answer: unknown;
}

/**
 * How many checks run beside the event loop, for how long, and how many wait (docs/challenges#what-a-check-may-cost). One core
 * is left to the event loop. The worst admissible task costs 50 ms of CPU, so 1 s allows for a busy host.
 */
const DEFAULTS: ThreadPoolOptions = {
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

/** Runs the checker off the event loop (docs/challenges#what-a-check-may-cost). Light tasks are done on the spot. */
export class CheckerPool {
  readonly #threads: ThreadPool<Verdict>;

  constructor(options: Partial<ThreadPoolOptions> = {}) {
    this.#threads = new ThreadPool(new URL('./checkerWorker.ts', import.meta.url), { ...DEFAULTS, ...options });
  }

  /**
   * The verdict; throws `CheckerBusy`. Who writes `goesFirst`: what costs no allowance can be asked without end, and an answer
   * may have to be there in time.
   */
  async check({ program, outcomes, answer }: CheckTask, { goesFirst = false } = {}): Promise<Verdict> {
    const programText = JSON.stringify(program);
    const answerText = JSON.stringify(answer);
    if (programText.length * answerText.length <= INLINE_UNITS) {
      return evaluate(parseProgram(program, { outcomes }), answer);
    }
    return this.#threads.run(`[${programText},${JSON.stringify(outcomes)},${answerText}]`, { goesFirst });
  }

  /** Ends all threads; what is under way or waiting is refused. */
  stop(): Promise<void> {
    return this.#threads.stop();
  }
}
