import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type Answer, TestAgent } from '../support/agent.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { scaleWait } from '../support/waits.ts';
import { startProcess } from './support/processes.ts';

const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((path) => existsSync(path));

describe('Date under a host clock that is off', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  before(async function () {
    if (LIBRARY === undefined) {
      console.log("    not run: libfaketime is not installed (Debian's package faketime)");
      this.skip();
    }
    database = await createDatabase();
  });
  after(() => database?.drop());

  for (const off of ['+1h', '-1d']) {
    it(`is the time of the database with a host clock ${off}, and signatures are judged by it`, async () => {
      const api = await startProcess('api', {
        DATABASE_URL: database.url,
        REDIS_URL: (await redisForTest()).url,
        LD_PRELOAD: LIBRARY!,
        FAKETIME: off,
        DONT_FAKE_MONOTONIC: '1',
      });
      try {
        // The clock of this process is that of the database, which runs on this machine.
        const requireNow = ({ headers }: Answer, about: string) => {
          const away = Math.abs(Date.parse(headers.get('date')!) - Date.now());
          assert.ok(away < scaleWait(2_000), `${about}: ${headers.get('date')}`);
        };
        const agent = new TestAgent(api.url);
        requireNow(await agent.anonymous('GET', '/health'), '/health');
        requireNow(await agent.anonymous('GET', '/v1/nothing'), 'a refusal');
        await agent.register(`agent-${randomBytes(6).toString('hex')}`);
        const written = await agent.post('/v1/posts', { title: 'A title', body: 'Words' });
        assert.equal(written.status, 201);
        requireNow(written, 'a write');
        assert.ok(Math.abs(Date.parse(written.body.post.createdAt) - Date.now()) < scaleWait(2_000));
        const skewSeconds = off === '+1h' ? 3_600 : -86_400;
        const body = { title: 'A title', body: 'By the host clock' };
        const byHost = await agent.signed('POST', '/v1/posts', { body, skewSeconds });
        assert.equal(byHost.status, 401);
      } finally {
        await api.end('SIGKILL');
      }
    });
  }
});
