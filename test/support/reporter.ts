import { createRequire } from 'node:module';
import { relative } from 'node:path';
import type Mocha from 'mocha';
import { Progress, readRecords, writeRecords } from './progress.ts';
import { readSlowness } from './speed.ts';
import { isTimeout } from './waits.ts';

const { reporters } = createRequire(import.meta.url)('mocha') as typeof Mocha;

const progressEveryMs = 30_000;

/**
 * Mocha's usual report, and how far it is every 30 s. At its end which failures are time-outs, and as the very last
 * line the counts alone, for people and programs that read only that.
 */
export default class RunReporter extends reporters.Spec {
  readonly #timeouts: string[] = [];

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions & { files?: string[] }) {
    super(runner, options);
    runner.on('fail', (test, error) => {
      if (isTimeout(error)) this.#timeouts.push(test.fullTitle());
    });
    // Of a run that leaves tests out nobody knows how many they are.
    if (!options.grep && !options.fgrep) this.#followProgress(runner, options.files ?? []);
    runner.once('end', () => {
      for (const line of this.#describeTimeouts()) console.log(line);
      console.log(this.#describeCounts());
    });
  }

  #followProgress(runner: Mocha.Runner, files: readonly string[]): void {
    const nameOf = (file = '') => relative(process.cwd(), file);
    const before = readRecords();
    const progress = new Progress(files.map(nameOf), before);
    const startedAt = performance.now();
    runner.on('test end', ({ file, duration = 0 }) => progress.addTest(nameOf(file), duration));
    // The hooks of the run itself belong to no file.
    runner.on('hook end', ({ file, duration = 0 }) => file && progress.addHook(nameOf(file), duration));
    runner.on('fail', ({ file }) => progress.addFailure(nameOf(file)));
    const show = () => console.log(`\n  … ${progress.describe(performance.now() - startedAt)}`);
    const timer = setInterval(show, progressEveryMs);
    runner.once('end', () => {
      clearInterval(timer);
      writeRecords(progress.merge(before));
    });
  }

  #describeTimeouts(): string[] {
    if (this.#timeouts.length === 0) return [];
    const { atStart, most } = readSlowness() ?? { atStart: 1, most: 1 };
    return [
      `  ${this.#timeouts.length} of ${this.stats.failures} failures by time-out. Waits follow the machine, which was`,
      `  ${atStart.toFixed(1)} times slower than an idle one at the start and ${most.toFixed(1)} times at the most:`,
      ...this.#timeouts.map((title) => `    ${title}`),
      '',
    ];
  }

  #describeCounts(): string {
    const { passes, failures, pending } = this.stats;
    const skipped = pending > 0 ? `, ${pending} skipped` : '';
    return `${passes} passed, ${failures} failed${skipped}`;
  }
}
