import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TestAgent } from '../support/agent.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { makeTestDirectory } from '../support/directories.ts';
import { eventually } from '../support/waits.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

const BLOCKED = { 'x-forwarded-for': '203.0.113.9' };

describe('SIGUSR2 to API processes that share a port', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let directory: string;
  let api: ServiceProcess;
  const settings = (...lines: string[]) =>
    writeFile(join(directory, 'forum.env'), ['LIMIT_POSTS=100000', ...lines].join('\n'));
  before(async () => {
    database = await createDatabase();
    directory = await makeTestDirectory();
    await settings();
    api = await startProcess('api', {
      DATABASE_URL: database.url,
      REDIS_URL: (await redisForTest()).url,
      API_PROCESSES: '2',
      TRUST_PROXY: 'true',
      SETTINGS_FILE: join(directory, 'forum.env'),
    });
  });
  after(async () => {
    await api?.end('SIGTERM');
    await database?.drop();
    await rm(directory, { recursive: true, force: true });
  });

  /** On a connection of its own, so that both processes get some of the requests. */
  const getOnce = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; body: string }>((resolve, reject) =>
      get(`${api.url}${path}`, { agent: false, headers }, (response) =>
        text(response).then((body) => resolve({ status: response.statusCode!, body }), reject),
      ).once('error', reject),
    );
  /** What all processes say. */
  async function allSay<Value>(ask: () => Promise<Value>, expected: Value): Promise<boolean> {
    const answers = await Promise.all(Array.from({ length: 8 }, ask));
    return answers.every((answer) => answer === expected);
  }
  const limitOfVotes = async (): Promise<number> =>
    JSON.parse((await getOnce('/v1/greeting')).body).rateLimits.counters.votes.limit;
  const times = (message: string) => api.output().split(message).length - 1;

  it('gives each of them new limits and blocks, loses no request, and changes nothing for invalid settings', async () => {
    const writer = await new TestAgent(api.url).register('writes-meanwhile');
    let isOver = false;
    const statuses = new Map<number, number>();
    const repeat = async (send: () => Promise<{ status: number }>) => {
      while (!isOver) {
        const { status } = await send();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const load = Promise.all([
      repeat(() => writer.post('/v1/posts', { title: 't', body: 'b' })),
      repeat(() => writer.post('/v1/posts', { title: 't', body: 'b' })),
      repeat(() => getOnce('/v1/posts')),
    ]);
    try {
      for (const limit of [150, 151, 152]) {
        await settings(`LIMIT_VOTES=${limit}`);
        process.kill(api.pid, 'SIGUSR2');
        await eventually(() => allSay(limitOfVotes, limit));
      }
      await settings('LIMIT_VOTES=many', `BLOCK_LIST_FILE=${directory}/absent`);
      process.kill(api.pid, 'SIGUSR2');
      await eventually(() => times('settings not reloaded') === 1);
      assert.match(api.output(), /"LIMIT_VOTES must be a number","BLOCK_LIST_FILE names a file that is not readable/);
      assert.ok(await allSay(limitOfVotes, 152));

      const statusOf = (headers: Record<string, string>) => async () => (await getOnce('/v1/posts', headers)).status;
      assert.ok(await allSay(statusOf(BLOCKED), 200));
      await writeFile(join(directory, 'blocked'), '203.0.113.0/24 2100-01-01T00:00:00Z wave\n');
      await settings('LIMIT_VOTES=152', `BLOCK_LIST_FILE=${directory}/blocked`);
      process.kill(api.pid, 'SIGUSR2');
      await eventually(() => allSay(statusOf(BLOCKED), 403));
      assert.ok(await allSay(statusOf({ 'x-forwarded-for': '203.0.114.9' }), 200));
      const metrics = await (await fetch(`${api.opsUrl}/metrics`)).text();
      const [, count] = /^forum_requests_blocked_total\{reason="wave",process="api"\} (\d+)$/m.exec(metrics) ?? [];
      assert.ok(Number(count) >= 8, count);
    } finally {
      isOver = true;
      await load;
    }
    assert.deepEqual([...statuses.keys()].toSorted(), [200, 201]);
    assert.ok(statuses.get(201)! > 20, JSON.stringify([...statuses]));
    // The log is written at the latest after half a second: once by the primary, and by each of its processes.
    await eventually(() => times('"settings reloaded"') === 4 * 3);
    assert.match(api.output(), /"changed":\["BLOCK_LIST_FILE"\],"msg":"settings reloaded"/);
    assert.match(api.output(), /"level":30,.*"reason":"wave",.*"msg":"requests of blocked addresses refused"/);
  });
});
