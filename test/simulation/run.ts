// `npm run simulate`: prints what attacks cost, with brakes beside without. `--agents`, `--days` and `--seed` change
// its size. It ends with exit code 1 if `npm run verify` finds a problem in a database of the simulation, or if the
// brakes take more from honest agents than they may.
import { parseArgs } from 'node:util';
import { startTestServices } from '../support/services.ts';
import { createTemplate } from '../support/template.ts';

/** Share of the votes, and of the mentions, of honest agents that the brakes may stop. */
const MOST_HONEST_LOSS = 0.01;

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '1000' },
    days: { type: 'string', default: '90' },
    seed: { type: 'string', default: '1' },
  },
});

const services = await startTestServices();
try {
  process.env.TEST_DATABASE_URL = services.databaseUrl;
  process.env.TEST_REDIS_URL = services.redisUrl;
  await createTemplate();
  const { simulate } = await import('./simulation.ts');
  const size = { agents: Number(options.agents), days: Number(options.days), seed: Number(options.seed) };
  const startedAt = performance.now();
  const [braked, free] = await Promise.all([true, false].map((brakes) => simulate({ ...size, brakes })));
  const { problems, ...figures } = braked!;
  const names = Object.keys(figures) as (keyof typeof figures)[];
  console.log(JSON.stringify(size), `${Math.round((performance.now() - startedAt) / 1_000)} s`);
  console.table(
    Object.fromEntries(names.map((name) => [name, { 'with brakes': braked![name], without: free![name] }])),
  );
  const found = [...problems, ...free!.problems];
  for (const problem of found) console.error(problem);
  if (found.length === 0) console.log('`npm run verify` finds no problems in the databases of the simulation.');
  const isHonestLossSmall = Math.max(figures.honestUnmoved, figures.honestWithheld) <= MOST_HONEST_LOSS;
  if (!isHonestLossSmall) console.error(`Honest agents lose more than ${MOST_HONEST_LOSS * 100} %.`);
  if (found.length > 0 || !isHonestLossSmall) process.exitCode = 1;
} finally {
  await services.stop();
}
