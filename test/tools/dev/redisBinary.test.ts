import assert from 'node:assert/strict';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { findRedis } from '../../../src/tools/dev/redisBinary.ts';
import { makeTestDirectory } from '../../support/directories.ts';

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

  const script = (path: string, text: string) => writeFile(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const putOnPath = (name: string, versionLine: string) => script(join(bin, name), `echo '${versionLine}'`);

  const find = (usualDirectories: string[] = []) =>
    findRedis({ cacheDirectory: directory, account: undefined, usualDirectories });

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

  it('finds what is installed but not on the PATH', async () => {
    const sbin = join(directory, 'sbin');
    await mkdir(sbin);
    await script(join(sbin, 'redis-server'), "echo 'Redis server v=7.0.15 sha=00000000:0 malloc=libc bits=64 build=0'");
    await putOnPath('redis-server', 'Redis server v=5.0.14 sha=00000000:0 malloc=libc bits=64 build=0');
    const { path: found, fetched } = await find([join(directory, 'nowhere'), sbin]);
    assert.deepEqual({ found, fetched }, { found: join(sbin, 'redis-server'), fetched: false });
  });

  it('knows the directories of package managers', async function () {
    const usual = await Promise.all(
      ['/usr/bin', '/usr/local/bin'].map((place) =>
        access(`${place}/redis-server`).then(
          () => true,
          () => false,
        ),
      ),
    );
    if (!usual.includes(true)) this.skip();
    const { path: found, fetched } = await findRedis({ cacheDirectory: directory, account: undefined });
    assert.match(found, /^\/usr\/(local\/)?s?bin\/redis-server$/);
    assert.equal(fetched, false);
  });

  /**
   * apt as it is where Redis is installed: it provides the packages only on request. `version` is that of the packages.
   */
  async function putAptOnPath(version: string): Promise<void> {
    const archives = `"$(expr "$*" : '.*Dir::Cache=\\([^ ]*\\)')/archives"`;
    await script(
      join(bin, 'apt-get'),
      `PATH=/usr/bin:/bin\ncase "$*" in *--reinstall*redis-server*redis-tools*) touch ${archives}/redis.deb;; esac`,
    );
    const server = `#!/bin/sh\\necho 'Redis server v=${version} sha=00000000:0 malloc=libc bits=64 build=0'\\n`;
    await script(
      join(bin, 'dpkg-deb'),
      `PATH=/usr/bin:/bin\nmkdir -p "$3/usr/bin"\nprintf "${server}" > "$3/usr/bin/redis-server"\nchmod 755 "$3/usr/bin/redis-server"`,
    );
  }

  it('fetches packages that are installed already', async () => {
    await putAptOnPath('7.0.15');
    const { title, fetched } = await find();
    assert.deepEqual({ title, fetched }, { title: 'Redis 7.0.15', fetched: true });
  });

  it('says of a server why it will not do, and of none that there is none', async () => {
    await putAptOnPath('6.0.16');
    await assert.rejects(find(), /The server from the distribution's packages is Redis 6\.0\.16, older than 6\.2\./);
    await script(join(bin, 'apt-get'), 'true');
    await rm(join(directory, 'redis-packages'), { recursive: true });
    await script(join(bin, 'valkey-server'), 'exit 1');
    await assert.rejects(find(), ({ message }: Error) => {
      assert.match(message, /valkey-server does not run here: /);
      assert.match(message, /the downloaded packages contain no server/);
      assert.doesNotMatch(message, /older/);
      return true;
    });
  });

  it('says what was tried and names four ways out when there is none', async () => {
    await putOnPath('redis-server', 'Redis server v=6.0.16 sha=00000000:0 malloc=libc bits=64 build=0');
    await assert.rejects(find(), ({ message }: Error) => {
      assert.match(message, /redis-server is Redis 6\.0\.16, older than 6\.2\./);
      assert.match(message, /apt-get/);
      for (const way of ['REDIS_URL=', 'package manager', 'PATH', 'docker compose up']) {
        assert.ok(message.includes(way), way);
      }
      return true;
    });
  });
});
