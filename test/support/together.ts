/**
 * Declares tests that mostly wait. All begin after the preceding `before` hooks, and before any other test of the
 * suite. Declared last, they take no time of their own. They may not share state that another one changes.
 */
export function together(tests: Readonly<Record<string, () => Promise<void>>>): void {
  const outcomes = new Map<string, Promise<void>>();
  before('begin those that wait', () => {
    for (const [title, test] of Object.entries(tests)) {
      const outcome = test();
      // Its own test reports it.
      outcome.catch(() => {});
      outcomes.set(title, outcome);
    }
  });
  for (const title of Object.keys(tests)) it(title, () => outcomes.get(title));
}
