import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chooseFreePort } from '../../src/tools/dev/ports.ts';
import { TestAgent } from '../support/agent.ts';
import { makeTestDirectory } from '../support/directories.ts';
import { findProgram } from '../support/programs.ts';
import { stopAbandonedServices } from '../support/stopAbandonedServices.ts';
import { eventually } from '../support/waits.ts';
import { wantServices } from '../support/wanted.ts';
import { run } from './support/backups.ts';

wantServices();
const START = fileURLToPath(new URL('../../src/tools/dev/start.ts', import.meta.url));

/** docs/operations#backup, for the key of the log. */
describe('the log of a forum of npm start', function () {
  this.timeout(120_000);
  let root: string;
  let url: string;
  let env: NodeJS.ProcessEnv;
  let output: string;
  let forum: ChildProcess | undefined;
  const seed = randomBytes(32);

  before(async () => {
    root = await makeTestDirectory();
    const port = await chooseFreePort([]);
    url = `http://127.0.0.1:${port}`;
    env = { ...process.env, PORT: String(port), OPS_PORT: '0', PROOF_DELAY_SECONDS: '0' };
    // The forums share a Redis, so each has its own name there.
    for (const name of ['DATABASE_URL', 'OPERATOR_AGENT_ID']) delete env[name];
  });
  after(async () => {
    // If it were killed, its servers would continue to run.
    if (forum?.exitCode === null && forum.signalCode === null) await stop();
    for (const name of ['data', 'restored']) await stopAbandonedServices(join(root, name));
    await rm(root, { recursive: true, force: true });
  });

  async function start(name: string): Promise<void> {
    output = '';
    forum = spawn(process.execPath, ['--import', 'tsx', START, join(root, name)], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [forum.stdout!, forum.stderr!]) stream.on('data', (text) => (output += text));
    await eventually(async () => output.includes('The forum listens'), 40_000);
  }
  async function stop(): Promise<void> {
    const ended = once(forum!, 'close');
    forum!.kill('SIGTERM');
    await ended;
  }
  const read = async (path: string) => (await fetch(url + path)).text();

  async function postWithProof(): Promise<void> {
    const agent = new TestAgent(url, Date.now, seed);
    if ((await fetch(`${url}/v1/agents/log-keeper`)).status === 404) await agent.register('log-keeper');
    const { postId } = (await agent.post('/v1/posts', { title: 't', body: 'b' })).body.post;
    await eventually(async () => (await fetch(`${url}/v1/posts/${postId}/proof`)).status === 200);
  }

  /** The output of `log:recover` with the settings of the restored forum. */
  async function recover(...args: string[]): Promise<string> {
    const files = await Promise.all(['env', 'log.env'].map((name) => readFile(join(root, 'restored', name), 'utf8')));
    const settings = Object.fromEntries(
      files.flatMap((text) => [...text.matchAll(/^(\w+)=(.*)$/gm)].map((m) => [m[1], m[2]])),
    );
    const program = await findProgram('workers/log/recover.ts');
    return (await promisify(execFile)(process.execPath, [program, ...args], { env: { ...env, ...settings } })).stdout;
  }

  it('is halted after a restore until it is recovered, and continues with its key, or with another one if its key is lost', async () => {
    await start('data');
    await postWithProof();
    const key = await read('/log/vkey');
    const backup = join(root, 'backup');
    assert.equal((await run('backup', [backup, '--from', join(root, 'data')])).code, 0);
    await stop();

    const restored = await run('restore', [backup, '--to', join(root, 'restored')]);
    assert.equal(restored.code, 0, restored.text);
    assert.match(restored.text, /log:recover/);
    await start('restored');
    await eventually(async () => output.includes('the log is halted: the database was restored'));
    await recover('--from', url);
    await postWithProof();
    assert.equal(await read('/log/vkey'), key);
    assert.doesNotMatch(output, /key that the log is signed with/);
    await stop();

    await rm(join(root, 'restored', 'log'), { recursive: true });
    await start('restored');
    assert.match(output, /The key that the log is signed with is not in/);
    const stdout = await recover('--anew');
    const { verifierKey, lost } = JSON.parse(stdout);
    assert.ok(lost.startsWith(key.split('+')[0]));
    await postWithProof();
    assert.equal((await read('/log/vkey')).trim(), verifierKey);
  });
});
