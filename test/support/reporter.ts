import { createRequire } from 'node:module';
import type Mocha from 'mocha';

const { reporters } = createRequire(import.meta.url)('mocha') as typeof Mocha;

/** Mocha's usual report, and as the very last line the counts alone, for people and programs that read only that. */
export default class CountReporter extends reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.once('end', () => console.log(this.#counts()));
  }

  #counts(): string {
    const { passes, failures, pending } = this.stats;
    const skipped = pending > 0 ? `, ${pending} skipped` : '';
    return `${passes} passed, ${failures} failed${skipped}`;
  }
}
