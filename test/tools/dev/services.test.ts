import assert from 'node:assert/strict';
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { substituteFor } from '../../../src/tools/dev/account.ts';
import { postgresDataDirectory, startPostgres } from '../../../src/tools/dev/postgres.ts';
import { type Services, startServices } from '../../../src/tools/dev/services.ts';
import { cacheDirectory, makeTestDirectory } from '../../support/directories.ts';
import { stopAbandonedServices } from '../../support/stopAbandonedServices.ts';
import { areRunning, killOutright, readMarks, serverPids, writeMark } from './support/servers.ts';

const bothRun = { postgres: true, redis: true };
const bothGone = { postgres: false, redis: false };

describe('startServices', () => {
  let directory: string;
  let lines: string[];
  let started: Services[];

  const makeDirectory = async () => {
    directory = await makeTestDirectory();
  };
  const removeDirectory = () => rm(directory, { recursive: true, force: true });

  beforeEach(() => {
    lines = [];
    started = [];
  });

  async function stopAll(): Promise<void> {
    for (const services of started) await services.stop();
    await stopAbandonedServices(directory);
  }

  async function start(): Promise<Services> {
    const log = (line: string) => lines.push(line);
    const services = await startServices({ directory, cacheDirectory, durable: true, log });
    started.push(services);
    return services;
  }

  /** Starts services in another process and returns when they run. */
  async function startElsewhere(): Promise<{ pid: number; services: { databaseUrl: string; redisUrl: string } }> {
    const script = fileURLToPath(new URL('support/holdServices.ts', import.meta.url));
    const child = fork(script, [directory, cacheDirectory], { execArgv: ['--import', 'tsx'] });
    const [services] = await once(child, 'message');
    return { pid: child.pid!, services };
  }

  // To make data takes longer than what is done with them.
  describe('in a directory that the first test finds empty', () => {
    before(makeDirectory);
    afterEach(stopAll);
    after(removeDirectory);

    it('starts from an empty directory, leaves no process, and finds its data again', async () => {
      const first = await start();
      await writeMark(first, 'kept');
      const pids = await serverPids(directory);
      assert.deepEqual(await areRunning(pids), bothRun);
      await first.stop();
      assert.deepEqual(await areRunning(pids), bothGone);

      const second = await start();
      assert.equal(second.databaseUrl, first.databaseUrl);
      assert.equal(second.redisUrl, first.redisUrl);
      assert.deepEqual(await readMarks(second), ['kept', 'kept']);
    });

    it('shares servers whose starter lives, and then does not stop them', async () => {
      const first = await start();
      const second = await start();
      assert.equal(second.databaseUrl, first.databaseUrl);
      await second.stop();
      assert.deepEqual(await areRunning(await serverPids(directory)), bothRun);
    });

    it('knows them by whatever name their directory is called', async () => {
      const first = await start();
      const pids = await serverPids(directory);
      const alias = `${directory}.alias`;
      await symlink(directory, alias);
      try {
        const second = await startServices({ directory: alias, cacheDirectory, durable: true, log: () => {} });
        started.push(second);
        assert.equal(second.databaseUrl, first.databaseUrl);
        assert.deepEqual(await serverPids(directory), pids);
      } finally {
        await rm(alias);
      }
    });

    it('are not those of a copy that was made of it while they ran', async () => {
      const first = await start();
      await writeMark(first, 'original');
      const copy = await makeTestDirectory();
      // Owners too, which root would change.
      execFileSync('cp', ['-a', `${directory}/.`, copy]);
      try {
        await stopAbandonedServices(copy);
        const second = await startServices({ directory: copy, cacheDirectory, durable: true, log: () => {} });
        const urls = [second.databaseUrl, second.redisUrl];
        await second.stop();
        assert.equal(urls.includes(first.databaseUrl) || urls.includes(first.redisUrl), false);
        assert.deepEqual(await areRunning(await serverPids(directory)), bothRun);
      } finally {
        await stopAbandonedServices(copy);
        await rm(copy, { recursive: true, force: true });
      }
    });

    it('takes over the servers of a starter that was killed, and stops them', async () => {
      const { pid, services } = await startElsewhere();
      await writeMark(services, 'orphaned');
      const pids = await serverPids(directory);
      await killOutright(pid);
      assert.deepEqual(await areRunning(pids), bothRun);

      const second = await start();
      assert.deepEqual(await serverPids(directory), pids);
      assert.deepEqual(await readMarks(second), ['orphaned', 'orphaned']);
      assert.equal(lines.filter((line) => line.includes('taken over')).length, 2);
      await second.stop();
      assert.deepEqual(await areRunning(pids), bothGone);
    });

    it('ends abandoned servers on request, and none whose starter lives', async () => {
      const { pid } = await startElsewhere();
      const pids = await serverPids(directory);
      await stopAbandonedServices(directory);
      assert.deepEqual(await areRunning(pids), bothRun);
      await killOutright(pid);
      await stopAbandonedServices(directory);
      assert.deepEqual(await areRunning(pids), bothGone);
    });

    it('starts again after a crash, although postmaster.pid names a process that lives', async () => {
      const first = await start();
      await writeMark(first, 'survived');
      const pids = await serverPids(directory);
      await killOutright(pids.postgres);
      await killOutright(pids.redis);
      const pidFile = join(postgresDataDirectory(directory, '18'), 'postmaster.pid');
      const stale = (await readFile(pidFile, 'utf8')).replace(/^\d+/, String(process.ppid));
      await writeFile(pidFile, stale);

      assert.deepEqual(await readMarks(await start()), ['survived', 'survived']);
    });
  });

  describe('in a directory of its own', () => {
    beforeEach(makeDirectory);
    afterEach(async () => {
      await stopAll();
      await removeDirectory();
    });

    it('says in one line why its data cannot be made, and leaves none of them', async () => {
      const initdb = join(directory, 'initdb');
      await writeFile(
        initdb,
        '#!/bin/sh\necho "13:28 [7] FATAL:  could not write: No space left on device" >&2\nexit 1\n',
        {
          mode: 0o755,
        },
      );
      const binaries = { major: '18', postgres: '/bin/false', initdb };
      const place = { binaries, directory, home: directory, account: undefined, password: 'x' };
      await assert.rejects(startPostgres({ ...place, preferredPort: undefined, durable: true }), {
        message: `PostgreSQL could not create its data in ${join(directory, 'postgresql-18')}: could not write: No space left on device`,
      });
      assert.deepEqual(await readdir(directory), ['initdb']);
    });

    it('says where this user may not make its directory', async () => {
      await chmod(directory, 0o555);
      const isRoot = process.getuid?.() === 0;
      if (isRoot) process.seteuid?.(65_534);
      const options = { directory: join(directory, 'data'), cacheDirectory, durable: true, log: () => {} };
      try {
        await assert.rejects(startServices(options), /^Error: This user cannot create .*data \(EACCES\): run this in/);
      } finally {
        if (isRoot) process.seteuid?.(0);
        await chmod(directory, 0o711);
      }
    });

    it('says what to do where its passwords are damaged, and makes no others', async () => {
      for (const text of ['', '{"postgresPassword": "a', '{}', 'null']) {
        await writeFile(join(directory, 'secrets.json'), text);
        await assert.rejects(start(), ({ message }: Error) => {
          assert.match(
            message,
            /secrets\.json is empty or damaged\. .* Restore it from a\nbackup, or write it again: \{"postgres/,
          );
          return true;
        });
        assert.equal(await readFile(join(directory, 'secrets.json'), 'utf8'), text);
      }
    });

    it('names the owner of data that another user made, and the remedy', async function () {
      if (process.getuid?.() !== 0) return this.skip();
      const data = join(directory, 'postgresql-18');
      await mkdir(data, { mode: 0o700 });
      await writeFile(join(data, 'PG_VERSION'), '18\n');
      const binaries = { major: '18', postgres: '/bin/false', initdb: '/bin/false' };
      const place = { binaries, directory, home: directory, password: 'x', preferredPort: undefined, durable: true };
      const nobody = { uid: 65_534, gid: 65_534 };
      await assert.rejects(startPostgres({ ...place, account: nobody }), {
        message: `The data in ${data} belongs to the user root, but PostgreSQL runs as nobody: chown -R nobody ${data}, or start as root.`,
      });
      await chmod(data, 0o755);
      await assert.rejects(startPostgres({ ...place, account: undefined }), {
        message: `Other users can read the data in ${data}, which PostgreSQL refuses: chmod -R go-rwx ${data}`,
      });
    });

    it('starts nothing where it is pointed at a server', async () => {
      const databaseUrl = 'postgres://elsewhere/forum';
      const redisUrl = 'redis://elsewhere/3';
      const log = (line: string) => lines.push(line);
      const services = await startServices({ directory, durable: true, databaseUrl, redisUrl, log });
      assert.equal(services.databaseUrl, databaseUrl);
      assert.equal(services.redisUrl, redisUrl);
      await services.stop();
      assert.deepEqual(await readdir(directory), ['secrets.json']);
    });

    it('keeps its data elsewhere when root runs the servers as a user who cannot reach the directory', async function () {
      if (process.getuid?.() !== 0) this.skip();
      await chmod(directory, 0o700);
      await start();
      const [inside, outside] = await Promise.all([readdir(directory), readdir(substituteFor(directory))]);
      assert.ok(!inside.includes('postgresql-18') && outside.includes('postgresql-18'));
      assert.ok(inside.includes('secrets.json') && !outside.includes('secrets.json'));
    });
  });
});
