import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { makeTestDirectory } from '../support/directories.ts';
import { eventually } from '../support/waits.ts';
import { startProcess } from './support/processes.ts';

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

  it('are as many again when one dies that was ready before the others', async () => {
    const api = await startProcess('api', {
      DATABASE_URL: database.url,
      REDIS_URL: (await redisForTest()).url,
      API_PROCESSES: '2',
      LOG_LEVEL: 'error',
      FIRST_DIED: join(directory, 'died'),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(KILL_FIRST)}`,
    });
    const running = async () => {
      const text = await (await fetch(`${api.opsUrl}/metrics`)).text();
      return new Set(text.match(/^forum_build_info\{.*process="api"\} 1$/gm)).size;
    };
    try {
      await eventually(async () => (await running()) === 2, 15_000);
      assert.match(api.output(), /"signal":"SIGKILL","msg":"an API process ended and will be replaced"/);
    } finally {
      await api.end('SIGTERM');
    }
  });

  describe('GET /metrics of the primary', () => {
    const startTwo = async (env: Record<string, string> = {}) =>
      startProcess('api', {
        DATABASE_URL: database.url,
        REDIS_URL: (await redisForTest()).url,
        API_PROCESSES: '2',
        LOG_LEVEL: 'error',
        ...env,
      });
    const scrape = async (opsUrl: string) => {
      const response = await fetch(`${opsUrl}/metrics`);
      const text = await response.text();
      const sum = (name: string) =>
        [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))].reduce(
          (all, [, n]) => all + Number(n),
          0,
        );
      return { status: response.status, sum };
    };
    /** Opens a connection for each request, so that both processes get some. */
    const getOnce = (url: string) =>
      new Promise((resolve, reject) =>
        get(url, { agent: false }, (response) => response.resume().once('end', resolve)).once('error', reject),
      );
    const childrenOf = async (pid: number) =>
      (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);

    it('answers without a process that is stuck, keeps its counters, and replaces it after 15 s', async function () {
      if (process.platform !== 'linux') return this.skip();
      const api = await startTwo();
      try {
        for (let n = 0; n < 40; n++) await getOnce(`${api.url}/health`);
        const before = await scrape(api.opsUrl);
        assert.equal(before.sum('forum_processes_silent'), 0);
        const counted = before.sum('forum_request_seconds_count');
        assert.ok(counted >= 40, String(counted));

        const [stuck] = await childrenOf(api.pid);
        process.kill(stuck!, 'SIGSTOP');
        const during = await scrape(api.opsUrl);
        assert.deepEqual([during.status, during.sum('forum_processes_silent')], [200, 1]);
        assert.equal(during.sum('forum_request_seconds_count'), counted);

        await eventually(async () => (await scrape(api.opsUrl)).sum('forum_process_restarts_total') === 1, 30_000);
        await eventually(async () => (await scrape(api.opsUrl)).sum('forum_processes_silent') === 0, 15_000);
        const after = await scrape(api.opsUrl);
        assert.ok(
          after.sum('forum_request_seconds_count') >= counted,
          'the counters of an ended process stay in the sum',
        );
        // The log is written at the latest after half a second.
        await eventually(() => api.output().includes('did not respond for 15 s'));
      } finally {
        await api.end('SIGTERM');
      }
    });
  });

  describe('SHUTDOWN_DELAY_SECONDS', () => {
    for (const processes of ['1', '2']) {
      it(`keeps ${processes} process(es) serving while probes are 503, then drains`, async () => {
        const api = await startProcess('api', {
          DATABASE_URL: database.url,
          REDIS_URL: (await redisForTest()).url,
          API_PROCESSES: processes,
          SHUTDOWN_DELAY_SECONDS: '2',
        });
        const ended = api.end('SIGTERM');
        await eventually(async () => (await fetch(`${api.opsUrl}/ready`)).status === 503, 1_500);
        assert.equal(((await (await fetch(`${api.opsUrl}/ready`)).json()) as { draining: boolean }).draining, true);
        assert.equal((await fetch(`${api.url}/v1/posts`)).status, 200);
        await eventually(async () => (await fetch(`${api.url}/health/storage`)).status === 503, 1_500);
        const { code, ms } = await ended;
        assert.equal(code, 0);
        assert.ok(ms >= 2_000, `ended after ${ms} ms`);
      });
    }
  });
});
