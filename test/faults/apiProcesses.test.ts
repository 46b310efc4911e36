import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
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
      assert.match(api.output(), /"signal":"SIGKILL","msg":"an API process ended, another one is started"/);
    } finally {
      await api.end('SIGTERM');
    }
  });
});
