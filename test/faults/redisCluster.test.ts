import assert from 'node:assert/strict';
import { describeLoss, isRedisReady } from '../../src/ops/redis.ts';
import { connectRedis } from '../../src/platform/redis/redis.ts';
import { wantCalm } from '../support/calm.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { itDoesTheMainJob, type Served, serve } from './support/mainJob.ts';
import { type RedisCluster, startRedisCluster } from './support/redisCluster.ts';

wantCalm();

const NODES = 3;

describe('a Redis Cluster with a password', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let cluster: RedisCluster;
  let served: Served;
  before(async () => {
    cluster = await startRedisCluster(NODES);
    database = await createDatabase();
    served = await serve(database.url, {
      DATABASE_URL: database.url,
      REDIS_URL: '',
      REDIS_CLUSTER_NODES: cluster.nodes,
      REDIS_CLUSTER_PASSWORD: cluster.password,
    });
  });
  after(async () => {
    await served?.stop();
    await database?.drop();
    await cluster?.stop();
  });

  itDoesTheMainJob(() => served);

  it('is ready, with keys on every node', async () => {
    assert.equal((await fetch(`${served.opsUrl}/ready`)).status, 200);
    for (const client of cluster.clients) assert.ok((await client.dbsize()) > 5);
  });

  for (const [password, words] of [
    [undefined, 'requires a password'],
    ['wrong', 'rejects the password'],
  ]) {
    it(`that is given ${password ?? 'no'} password ${words}`, async () => {
      const redisClusterNodes = cluster.clients.map(({ options }) => ({ host: options.host!, port: options.port! }));
      const address = { redisUrl: undefined, redisClusterNodes, redisClusterPassword: password };
      const connection = connectRedis(address, 'admission');
      assert.equal(await isRedisReady(connection, 3_000), false);
      assert.equal(describeLoss(connection), words);
      connection.disconnect();
    });
  }
});
