// `npm run bench`: runs all scenarios and stores the results in results.json and docs/MEASUREMENTS.md. `npm run bench
// -- post.read` runs the named scenarios and only prints.
import { measure, type ScenarioResult } from './measure.ts';
import { writeMeasured } from './measured.ts';
import { serverOf, tableOf, writeResults } from './report.ts';
import { SCENARIOS } from './scenarios/index.ts';
import { startStage } from './stage.ts';

const names = process.argv.slice(2);
const chosen = SCENARIOS.filter(({ name }) => names.length === 0 || names.includes(name));
if (chosen.length === 0) throw new Error(`There are: ${SCENARIOS.map(({ name }) => name).join(', ')}`);

const startedAt = performance.now();
const stage = await startStage();
try {
  const server = await serverOf(stage);
  console.log(server);
  const results: ScenarioResult[] = [];
  for (const scenario of chosen) {
    const result = 'measure' in scenario ? await scenario.measure(stage) : await measure(scenario, stage);
    console.log(`\n${tableOf(result)}`);
    results.push(result);
  }
  if (names.length === 0) await writeMeasured(await writeResults(server, results));
} finally {
  await stage.stop();
}
console.log(`\n${((performance.now() - startedAt) / 1_000).toFixed(0)} s in all`);
