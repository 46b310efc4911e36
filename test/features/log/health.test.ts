import assert from 'node:assert/strict';
import { pino } from 'pino';
import { type Config, loadConfig } from '../../../src/config.ts';
import { startOps } from '../../../src/ops/listener.ts';
import { Metrics } from '../../../src/ops/metrics.ts';
import { startWorkers } from '../../../workers/worker.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { type LogSettings, logSettings } from '../../support/logSettings.ts';
import { Stranger } from './support/log.ts';

describe('the health of the transparency log at the ops listener', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let settings: LogSettings;
  before(async () => {
    settings = await logSettings();
    forum = await startForum({ env: settings.env });
    const workers = await startWorkers(forum.api.services.config, pino({ level: 'silent' }));
    const ada = await forum.agent();
    await ada.post('/v1/posts', { title: 'Signed', body: 'Words' });
    await new Stranger(forum.url).settled((text) => forum.rows(text));
    await workers.stop();
  });
  after(async () => {
    await forum.stop();
    await settings.remove();
  });

  async function look(): Promise<{ warnings: string[]; states: Record<string, number> }> {
    const config = loadConfig({ DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl, OPS_PORT: '0' });
    const ops = await startOps('worker', config, pino({ level: 'silent' }), new Metrics('worker', 'test'));
    try {
      const { warnings } = (await (await fetch(`${ops.url}/ready`)).json()) as { warnings: string[] };
      const text = await (await fetch(`${ops.url}/metrics`)).text();
      const states = [...text.matchAll(/^forum_log_state\{state="(\w+)"\} (\d)$/gm)].map(([, state, is]) => [
        state,
        Number(is),
      ]);
      return { warnings, states: Object.fromEntries(states) };
    } finally {
      await ops.stop();
    }
  }

  it('is waiting, with a warning, if a write has had no signed head for 30 s', async () => {
    assert.deepEqual(await look(), { warnings: [], states: { signing: 1, waiting: 0, halted: 0, unsigned: 0 } });
    const bob = await forum.agent();
    await bob.post('/v1/posts', { title: 'Not signed', body: 'Words' });
    await forum.rows(`UPDATE log_pending SET accepted_at = accepted_at - interval '60 seconds'`);
    const { warnings, states } = await look();
    assert.match(warnings.join(), /^the transparency log is not signed: .* 6\d s\. Run a worker with LOG_SIGNING_KEY$/);
    assert.deepEqual(states, { signing: 0, waiting: 1, halted: 0, unsigned: 0 });
  });

  it('is halted, with a warning that names the reason and the remedy', async () => {
    await forum.rows(`UPDATE log_head SET halted = 'the database was restored'`);
    const { warnings, states } = await look();
    assert.deepEqual(warnings, ['the transparency log is halted: the database was restored. Run npm run log:recover']);
    assert.deepEqual(states, { signing: 0, waiting: 0, halted: 1, unsigned: 0 });
    await forum.rows('UPDATE log_head SET halted = NULL');
  });

  it('has one line in the log of a worker that lacks the key of a signed log', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const config: Config = { ...forum.api.services.config };
    const keyless = { ...config, log: { ...config.log, signingKey: undefined } };
    const workers = await startWorkers(keyless, log);
    await workers.stop();
    const told = lines.filter((line) => line.includes('LOG_SIGNING_KEY'));
    assert.equal(told.length, 1, lines.join(''));
    assert.equal(JSON.parse(told[0]!).level, 40);
  });
});
