import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrateLatest } from '../../migrations/run.ts';
import { loadLogSettings } from '../../src/tools/dev/log.ts';
import { type Services, startServices } from '../../src/tools/dev/services.ts';
import { redisForTest } from '../support/database.ts';
import { cacheDirectory, makeTestDirectory } from '../support/directories.ts';
import { findProgram } from '../support/programs.ts';
import { stopAbandonedServices } from '../support/stopAbandonedServices.ts';
import { eventually } from '../support/waits.ts';
import { run, type Served, serve } from './support/backups.ts';

/** docs/operations#backup, for the key of the log, with the servers and the key that `npm start` brings. */
describe('the log of a forum of npm start', function () {
  this.timeout(120_000);
  let root: string;
  let redisUrl: string;
  let services: Services | undefined;
  let env: NodeJS.ProcessEnv;
  let forum: Served | undefined;
  const lines: string[] = [];
  const seed = randomBytes(32);

  before(async () => {
    root = await makeTestDirectory();
    // The forums share a Redis, so each has its own name there.
    redisUrl = (await redisForTest()).url;
  });
  after(async () => {
    await stop();
    for (const name of ['data', 'restored']) await stopAbandonedServices(join(root, name));
    await rm(root, { recursive: true, force: true });
  });

  async function start(name: string): Promise<Served> {
    const directory = join(root, name);
    services = await startServices({ directory, cacheDirectory, durable: true, redisUrl, log: () => undefined });
    const { databaseUrl } = services;
    await migrateLatest(databaseUrl);
    const settings = await loadLogSettings(directory, databaseUrl, (line) => lines.push(line));
    env = { ...process.env, ...settings, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
    forum = await serve(databaseUrl, redisUrl, settings);
    await forum.work();
    return forum;
  }
  async function stop(): Promise<void> {
    await forum?.stop();
    await services?.stop();
    [forum, services] = [undefined, undefined];
  }
  const read = async (path: string) => (await fetch(forum!.url + path)).text();

  async function postWithProof({ url, agent: agentOf }: Served): Promise<void> {
    const agent = agentOf(seed);
    if ((await fetch(`${url}/v1/agents/log-keeper`)).status === 404) await agent.register('log-keeper');
    const { postId } = (await agent.post('/v1/posts', { title: 't', body: 'b' })).body.post;
    await eventually(async () => (await fetch(`${url}/v1/posts/${postId}/proof`)).status === 200);
  }

  /** The output of `log:recover` with the settings of the forum. */
  async function recover(...args: string[]): Promise<string> {
    const program = await findProgram('workers/log/recover.ts');
    return (await promisify(execFile)(process.execPath, [program, ...args], { env })).stdout;
  }

  it('is halted after a restore until it is recovered, and continues with its key, or with another one if its key is lost', async () => {
    await postWithProof(await start('data'));
    const key = await read('/log/vkey');
    const backup = join(root, 'backup');
    assert.equal((await run('backup', [backup, '--from', join(root, 'data')])).code, 0);
    await stop();

    const restored = await run('restore', [backup, '--to', join(root, 'restored')]);
    assert.equal(restored.code, 0, restored.text);
    assert.match(restored.text, /log:recover/);
    const copy = await start('restored');
    const { rows } = await copy.pool.query('SELECT halted FROM log_head');
    assert.deepEqual(rows, [{ halted: 'the database was restored' }]);
    await recover('--from', copy.url);
    await postWithProof(copy);
    assert.equal(await read('/log/vkey'), key);
    assert.deepEqual(lines, []);
    await stop();

    await rm(join(root, 'restored', 'log'), { recursive: true });
    const keyless = await start('restored');
    assert.match(lines.join('\n'), /^The key that the log is signed with is not in/);
    const { verifierKey, lost } = JSON.parse(await recover('--anew'));
    assert.ok(lost.startsWith(key.split('+')[0]));
    await postWithProof(keyless);
    assert.equal((await read('/log/vkey')).trim(), verifierKey);
  });
});
