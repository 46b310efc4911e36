import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { TestAgent } from '../support/agent.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/waits.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';
import { Way } from './support/way.ts';

describe('connections to Redis that fall silent', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let way: Way;
  let api: ServiceProcess;
  let worker: ServiceProcess;
  before(async () => {
    database = await createDatabase();
    way = await Way.to((await redisForTest()).url);
    const env = { DATABASE_URL: database.url, REDIS_URL: way.url };
    [api, worker] = await Promise.all([startProcess('api', env), startProcess('worker', env)]);
  });
  after(async () => {
    await Promise.all([api, worker].map((each) => each?.end('SIGKILL')));
    way.close();
    await database.drop();
  });

  it('are replaced: writes are accepted again, and events delivered', async () => {
    const newAgent = () => new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);
    const [ada, bob] = await Promise.all([newAgent(), newAgent()]);
    const { body } = await ada.post('/v1/posts', { title: 't', body: 'b' });
    const reply = () => bob.post(`/v1/posts/${body.post.postId}/replies`, { body: 'r' });
    way.silence();
    assert.equal((await reply()).status, 503);
    await eventually(async () => (await reply()).status === 201, 15_000);
    await eventually(async () => (await fetch(`${api.opsUrl}/ready`)).status === 200, 15_000);
    const told = async () => (await ada.get('/v1/inbox', 'type=reply')).body.items.length === 1;
    await eventually(told, 40_000);
  });
});
