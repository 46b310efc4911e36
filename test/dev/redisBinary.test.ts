import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { findRedis } from '../../src/dev/redisBinary.ts';
import { makeTestDirectory } from '../support/services.ts';

describe('findRedis', () => {
  const path = process.env.PATH;
  let directory: string;
  let bin: string;

  beforeEach(async () => {
    directory = await makeTestDirectory();
    bin = join(directory, 'bin');
    await mkdir(bin);
    process.env.PATH = bin;
  });

  afterEach(async () => {
    process.env.PATH = path;
    await rm(directory, { recursive: true, force: true });
  });

  async function putOnPath(name: string, versionLine: string): Promise<void> {
    await writeFile(join(bin, name), `#!/bin/sh\necho '${versionLine}'\n`, { mode: 0o755 });
  }

  const find = () => findRedis({ cacheDirectory: directory, account: undefined });

  it('takes Redis from the PATH', async () => {
    await putOnPath('redis-server', 'Redis server v=6.2.14 sha=00000000:0 malloc=libc bits=64 build=0');
    const { title, path: found } = await find();
    assert.deepEqual({ title, found }, { title: 'Redis 6.2.14', found: join(bin, 'redis-server') });
  });

  it('takes Valkey from the PATH when Redis there is too old', async () => {
    await putOnPath('redis-server', 'Redis server v=5.0.14 sha=00000000:0 malloc=libc bits=64 build=0');
    await putOnPath('valkey-server', 'Valkey server v=8.0.1 sha=00000000:0 malloc=libc bits=64 build=0');
    assert.equal((await find()).title, 'Valkey 8.0.1');
  });

  it('says what was tried and names four ways out when there is none', async () => {
    await putOnPath('redis-server', 'Redis server v=6.0.16 sha=00000000:0 malloc=libc bits=64 build=0');
    await assert.rejects(find(), ({ message }: Error) => {
      assert.match(message, /redis-server is older than 6\.2/);
      assert.match(message, /apt-get/);
      for (const way of ['REDIS_URL=', 'package manager', 'PATH', 'docker compose up']) {
        assert.ok(message.includes(way), way);
      }
      return true;
    });
  });
});
