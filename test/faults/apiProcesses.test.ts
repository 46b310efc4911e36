import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { chooseFreePort } from '../../src/tools/dev/ports.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { makeTestDirectory } from '../support/directories.ts';
import { eventually } from '../support/waits.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

/** Loaded before anything else: the first process is killed once it is ready, and the second starts after that. */
const KILL_FIRST = `
  import cluster from 'node:cluster';
  import { existsSync, writeFileSync } from 'node:fs';
  const { FIRST_DIED } = process.env;
  if (cluster.isPrimary) {
    cluster.on('message', (worker, { ready }) => {
      if (ready && worker.id === 1) worker.process.kill('SIGKILL');
    });
    cluster.on('exit', ({ id }) => {
      if (id === 1) writeFileSync(FIRST_DIED, '');
    });
  } else if (cluster.worker.id === 2) {
    while (!existsSync(FIRST_DIED)) await new Promise((resolve) => setTimeout(resolve, 20));
  }`;

describe('API processes that share a port', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let directory: string;
  before(async () => {
    database = await createDatabase();
    directory = await makeTestDirectory();
  });
  after(async () => {
    await database?.drop();
    await rm(directory, { recursive: true, force: true });
  });

  const startApi = async (env: Record<string, string>) =>
    startProcess('api', {
      DATABASE_URL: database.url,
      REDIS_URL: (await redisForTest()).url,
      SHUTDOWN_DELAY_SECONDS: '2',
      ...env,
    });

  /** Ends the API, and asserts that it serves for the two seconds before. */
  async function assertDrains(api: ServiceProcess): Promise<void> {
    const ended = api.end('SIGTERM');
    await eventually(async () => (await fetch(`${api.opsUrl}/ready`)).status === 503, 1_500);
    assert.equal(((await (await fetch(`${api.opsUrl}/ready`)).json()) as { draining: boolean }).draining, true);
    assert.equal((await fetch(`${api.url}/v1/posts`)).status, 200);
    await eventually(async () => (await fetch(`${api.url}/health/storage`)).status === 503, 1_500);
    const { code, ms } = await ended;
    assert.equal(code, 0);
    assert.ok(ms >= 2_000, `ended after ${ms} ms`);
  }

  describe('two of them', () => {
    let api: ServiceProcess;
    before(async () => {
      api = await startApi({
        API_PROCESSES: '2',
        // The port ends with the first process, which alone has it.
        PORT: String(await chooseFreePort([])),
        LOG_LEVEL: 'error',
        FIRST_DIED: join(directory, 'died'),
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(KILL_FIRST)}`,
      });
    });
    after(() => api.end('SIGKILL'));

    const scrape = async () => {
      const response = await fetch(`${api.opsUrl}/metrics`);
      const text = await response.text();
      const sum = (name: string) =>
        [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))].reduce(
          (all, [, n]) => all + Number(n),
          0,
        );
      const running = new Set(text.match(/^forum_build_info\{.*process="api"\} 1$/gm)).size;
      return { status: response.status, sum, running };
    };
    /** Opens a connection for each request, so that both processes get some. */
    const getOnce = (url: string) =>
      new Promise((resolve, reject) =>
        get(url, { agent: false }, (response) => response.resume().once('end', resolve)).once('error', reject),
      );
    const childrenOf = async (pid: number) =>
      (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);

    it('are as many again when one dies that was ready before the others', async () => {
      await eventually(async () => (await scrape()).running === 2, 15_000);
      assert.match(api.output(), /"signal":"SIGKILL","msg":"an API process ended and will be replaced"/);
    });

    it('have metrics without a process that is stuck, keep its counters, and replace it after 15 s', async function () {
      if (process.platform !== 'linux') return this.skip();
      for (let n = 0; n < 40; n++) await getOnce(`${api.url}/health`);
      const before = await scrape();
      assert.deepEqual([before.sum('forum_processes_silent'), before.sum('forum_process_restarts_total')], [0, 1]);
      const counted = before.sum('forum_request_seconds_count');
      assert.ok(counted >= 40, String(counted));

      const [stuck] = await childrenOf(api.pid);
      process.kill(stuck!, 'SIGSTOP');
      const during = await scrape();
      assert.deepEqual([during.status, during.sum('forum_processes_silent')], [200, 1]);
      assert.equal(during.sum('forum_request_seconds_count'), counted);

      await eventually(async () => (await scrape()).sum('forum_process_restarts_total') === 2, 30_000);
      await eventually(async () => (await scrape()).sum('forum_processes_silent') === 0, 15_000);
      const after = await scrape();
      assert.ok(
        after.sum('forum_request_seconds_count') >= counted,
        'the counters of an ended process stay in the sum',
      );
      // The log is written at the latest after half a second.
      await eventually(() => api.output().includes('did not respond for 15 s'));
    });

    it('keep serving for SHUTDOWN_DELAY_SECONDS while probes are 503, then drain', async () => {
      await eventually(async () => (await scrape()).running === 2, 15_000);
      await assertDrains(api);
    });
  });

  it('if it is one, keeps serving for SHUTDOWN_DELAY_SECONDS while probes are 503, then drains', async () => {
    await assertDrains(await startApi({ API_PROCESSES: '1' }));
  });
});
