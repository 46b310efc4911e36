import assert from 'node:assert/strict';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { type Services, startServices } from '../../../src/tools/dev/services.ts';
import { cacheDirectory, makeTestDirectory } from '../../support/directories.ts';
import { withServers } from './support/servers.ts';

describe('the settings of the started servers', () => {
  let directory: string;
  let services: Services;

  before(async () => {
    directory = await makeTestDirectory();
    services = await startServices({ directory, cacheDirectory, durable: true, log: () => undefined });
  });

  after(async () => {
    await services.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('listens on 127.0.0.1 only, on ports of its own, behind passwords that only the owner can read', async () => {
    const { databaseUrl, redisUrl } = services;
    for (const url of [new URL(databaseUrl), new URL(redisUrl)]) {
      assert.equal(url.hostname, '127.0.0.1');
      assert.ok(!['5432', '6379'].includes(url.port));
      assert.match(url.password, /^[0-9a-f]{48}$/);
    }
    await withServers({ databaseUrl, redisUrl }, async (client, redis) => {
      const { rows } = await client.query('SHOW listen_addresses');
      assert.deepEqual(rows, [{ listen_addresses: '127.0.0.1' }]);
      assert.deepEqual(await redis.config('GET', 'bind'), ['bind', '127.0.0.1']);
    });
    assert.equal((await stat(join(directory, 'secrets.json'))).mode & 0o777, 0o600);
    const wrong = databaseUrl.replace(/:[0-9a-f]{48}@/, ':wrong@');
    await assert.rejects(
      withServers({ databaseUrl: wrong, redisUrl }, async () => undefined),
      { code: '28P01' },
    );
  });

  it('keeps what a crash must not lose: commits synced, Redis logged and never evicting', async () => {
    await withServers(services, async (client, redis) => {
      const settings = ['fsync', 'synchronous_commit', 'full_page_writes', 'server_encoding'];
      const columns = settings.map((name) => `current_setting('${name}') AS ${name}`);
      const { rows } = await client.query(`SELECT ${columns}, datcollate, datctype FROM pg_database
        WHERE datname = current_database()`);
      assert.deepEqual(rows, [
        {
          fsync: 'on',
          synchronous_commit: 'on',
          full_page_writes: 'on',
          server_encoding: 'UTF8',
          datcollate: 'C',
          datctype: 'C',
        },
      ]);
      assert.deepEqual(await redis.config('GET', 'appendonly'), ['appendonly', 'yes']);
      assert.deepEqual(await redis.config('GET', 'maxmemory-policy'), ['maxmemory-policy', 'noeviction']);
    });
  });
});
