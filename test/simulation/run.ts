// `npm run simulate`: prints what attacks on karma cost, with brakes and without. `--agents`, `--days` and `--seed`
// change its size. It ends with exit code 1 if the ledger has problems.
import { parseArgs } from 'node:util';
import { startTestServices } from '../support/services.ts';
import { createTemplate } from '../support/template.ts';

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
  for (const brakes of [true, false]) {
    const startedAt = performance.now();
    const figures = await simulate({ ...size, brakes });
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log(JSON.stringify({ ...size, brakes, seconds, ...figures }, null, 2));
    if (figures.problems.length > 0) process.exitCode = 1;
  }
} finally {
  await services.stop();
}
