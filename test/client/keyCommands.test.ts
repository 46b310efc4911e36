import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { EXIT } from '../../src/client/commandLine.ts';
import { agentIdOf, generateNextKeys, readKeyFile, writeKeyFile } from '../../src/client/index.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { findProgram } from '../support/programs.ts';
import { runForJson } from './support/runCommand.ts';

const PACKAGE = new URL('../../src/client/python', import.meta.url).pathname;
/** That of the path, or Debian's, whichever has the packages. */
const PYTHON = ['python3', '/usr/bin/python3'].find((python) => {
  try {
    execFileSync(python, ['-c', 'import cryptography, httpx'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

describe('the commands about the key', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let directory: string;
  let key: string;
  let handles = 0;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'forum-keys-'));
    key = join(directory, 'key.json');
  });
  afterEach(() => rm(directory, { recursive: true }));

  const forumCommand = (...argv: string[]) =>
    runForJson(argv, { env: { FORUM_URL: forum.url, FORUM_KEY: key, HOME: directory } });
  /** At another address than that of the forum that the key is for. */
  const at = (url: string) => ['--url', url, '--any-origin'];
  async function ok(...argv: string[]) {
    const { code, answer } = await forumCommand(...argv);
    assert.equal(code, EXIT.ok, JSON.stringify(answer));
    return answer;
  }
  const post = () => forumCommand('post', '--title', 'T', '--body', 'b');
  const register = (...more: string[]) => ok('register', `keys-${handles++}`, '--purpose', 'Testing the keys', ...more);

  it('change it for the next one, which is made at registration, again and again', async () => {
    const { agentId, signingPublicKey } = await ok('keygen');
    await register();
    assert.equal((await stat(`${key}.next`)).mode & 0o777, 0o600);
    const next = await readKeyFile(`${key}.next`);
    for (let n = 1; n <= 2; n++) {
      const { keyNumber } = await ok('key', 'rotate');
      assert.equal(keyNumber, n);
      assert.equal((await post()).code, EXIT.ok);
    }
    const whoami = await ok('whoami');
    assert.deepEqual([whoami.agentId, whoami.signatureAccepted], [agentId, true]);
    const keys = whoami.agent.keys.map(({ publicKey }: { publicKey: string }) => publicKey);
    assert.deepEqual(keys.slice(0, 2), [signingPublicKey, next.signing.publicKey.toString('base64url')]);
    assert.equal(keys[2], whoami.signingPublicKey);
    assert.ok(existsSync(`${key}.next`) && !existsSync(`${key}.next.after`));
  });

  it('make a next key where the agent was registered without one', async () => {
    await ok('keygen');
    await register('--without-next-key');
    assert.equal(existsSync(`${key}.next`), false);
    assert.equal((await ok('key', 'rotate')).keyNumber, 1);
    assert.equal((await post()).code, EXIT.ok);
  });

  it('bring a frozen agent back by the next key alone, when the key file is lost', async () => {
    await ok('keygen');
    await register();
    await rename(`${key}.next`, join(directory, 'elsewhere'));
    const { agentId, signature } = await ok('key', 'presign');
    await rm(key);
    // One in 64 begins with a minus, so it is written as the examples do.
    await ok('key', 'freeze', '--agent', agentId, `--signature=${signature}`);
    assert.equal((await forumCommand('key', 'rotate')).answer.error, 'key_file');
    await ok('key', 'rotate', '--next', join(directory, 'elsewhere'));
    assert.equal(agentIdOf(await readKeyFile(key)), agentId);
    assert.equal((await post()).code, EXIT.ok);
  });

  it('continue an interrupted command', async () => {
    await ok('keygen');
    await register();
    const before = await readFile(key);
    await copyFile(`${key}.next`, join(directory, 'next'));
    const done = await ok('key', 'rotate');
    // The answer was lost: nothing of it is on disk.
    await rename(`${key}.next`, `${key}.next.after`);
    await rename(join(directory, 'next'), `${key}.next`);
    await writeFile(key, before);
    assert.deepEqual(await ok('key', 'rotate'), done);
    // The key file was replaced, and nothing else.
    await copyFile(`${key}.next`, `${key}.next.after`);
    await copyFile(key, `${key}.next`);
    assert.deepEqual(await ok('key', 'rotate'), done);
    assert.equal((await post()).code, EXIT.ok);
    assert.equal((await ok('key', 'rotate')).keyNumber, 2);
  });

  it('keep every former key, by which a forum that knows no later one catches up', async () => {
    const elsewhere = await startForum();
    try {
      const there = at(elsewhere.url);
      const { agentId } = await ok('keygen');
      await register();
      await ok('register', `keys-${handles++}`, '--purpose', 'Testing', ...there);
      await ok('key', 'rotate');
      const { formerKeyFiles } = await ok('key', 'rotate');
      assert.deepEqual(formerKeyFiles, [`${key}.before-1`, `${key}.before-2`]);
      assert.equal((await stat(`${key}.before-1`)).mode & 0o777, 0o600);
      const keys = await readFile(key, 'utf8');
      const write = ['post', '--title', 'T', '--body', 'b', ...there];
      assert.equal((await forumCommand(...write)).code, EXIT.notAllowed);
      const caughtUp = await ok('key', 'rotate', ...there);
      assert.deepEqual([caughtUp.agentId, caughtUp.keyNumber], [agentId, 2]);
      assert.equal(await readFile(key, 'utf8'), keys);
      for (const url of [[], there]) {
        assert.equal((await forumCommand('post', '--title', 'T', '--body', 'b', ...url)).code, EXIT.ok);
      }
      assert.equal((await ok('key', 'rotate', ...there)).keyNumber, 3);
      assert.equal((await ok('key', 'rotate')).keyNumber, 3);
    } finally {
      await elsewhere.stop();
    }
  });

  /**
   * What leads to a forum until it has passed one change of a key on: nobody connects after that. Its answer arrives,
   * or is lost.
   */
  async function changingOnce({ url }: TestForum, arrives: boolean): Promise<string> {
    const server = createServer(async ({ method = '', url: path = '', headers }, response) => {
      const { 'content-type': type = '' } = headers;
      const request = { method, headers: type ? { 'content-type': type } : {} };
      const body = method === 'GET' ? {} : { body: await buffer(response.req) };
      const answer = await fetch(`${url}${path}`, { ...request, ...body });
      const answered = Buffer.from(await answer.arrayBuffer());
      const isChange = path.endsWith('/keys');
      if (isChange) server.close();
      if (isChange && !arrives) return void response.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json', connection: 'close' }).end(answered);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const AGAIN = 'it may have been applied; repeat the command to continue: forum key rotate';

  it('do not report that nothing was sent after they changed a key, and continue from there', async () => {
    const elsewhere = await startForum();
    try {
      const there = at(elsewhere.url);
      await ok('keygen');
      await register();
      await ok('register', `keys-${handles++}`, '--purpose', 'Testing', ...there);
      await ok('key', 'rotate');
      await ok('key', 'rotate');
      const { code, answer } = await forumCommand('key', 'rotate', ...at(await changingOnce(elsewhere, true)));
      assert.deepEqual([code, answer.error, answer.hint], [EXIT.network, 'network', AGAIN]);
      assert.match(answer.message, /^the key was changed, though not up to the last one, then nothing was sent: /);
      assert.equal((await ok('key', 'rotate', ...there)).keyNumber, 2);
    } finally {
      await elsewhere.stop();
    }
  });

  it('do not say that nothing was sent when the answer of the time before was lost', async () => {
    await ok('keygen');
    await register();
    const gone = await changingOnce(forum, false);
    const lost = (await forumCommand('key', 'rotate', ...at(gone))).answer;
    assert.deepEqual([lost.error, lost.hint], ['network', AGAIN]);
    const { code, answer } = await forumCommand('key', 'rotate', ...at(gone));
    assert.deepEqual([code, answer.error, answer.hint], [EXIT.network, 'network', AGAIN]);
    assert.match(answer.message, /^this time nothing was sent: /);
    assert.equal((await ok('key', 'rotate')).keyNumber, 1);
    assert.equal((await post()).code, EXIT.ok);
  });

  it('continue in two concurrent processes', async () => {
    await ok('keygen');
    await register();
    await ok('key', 'rotate');
    await forumCommand('key', 'rotate', ...at(await changingOnce(forum, false)));
    const [one, other] = await Promise.all([ok('key', 'rotate'), ok('key', 'rotate')]);
    assert.deepEqual([one.key, one.keyNumber], [other.key, 2]);
    assert.equal((await post()).code, EXIT.ok);
    assert.equal((await ok('key', 'rotate')).keyNumber, 3);
    const left = (await readdir(directory)).filter((name) => !/^key\.json(\.next|\.before-\d|\.origin)?$/.test(name));
    assert.deepEqual(left, []);
  });

  it('leave nothing where the disk is full, and work once it is not', async () => {
    const module = pathToFileURL(await findProgram('src/client/keys.ts')).href;
    const byNode = `import { generateKeys, writeKeyFile } from '${module}'; await writeKeyFile('${key}', generateKeys());`;
    const byPython = `from agent_forum import generate_keys, write_key_file; write_key_file('${key}', generate_keys())`;
    const programs = [
      [process.execPath, '--input-type=module', '-e', byNode],
      ...(PYTHON ? [[PYTHON, '-B', '-c', byPython]] : []),
    ];
    const env = { ...process.env, PYTHONPATH: PACKAGE };
    for (const words of programs) {
      const full = ['-c', `trap '' XFSZ; ulimit -f 0; "$@"`, 'bash', ...words];
      await assert.rejects(promisify(execFile)('bash', full, { env }), /EFBIG|File too large/);
      assert.deepEqual(await readdir(directory), []);
      await promisify(execFile)(words[0]!, words.slice(1), { env });
      assert.deepEqual(await readdir(directory), ['key.json']);
      assert.equal((await stat(key)).mode & 0o777, 0o600);
      await readKeyFile(key);
      await rm(key);
    }
  });

  it('leave nothing of a next key that is refused, and say how to give the one that is elsewhere', async () => {
    await ok('keygen');
    await register();
    const elsewhere = join(directory, 'elsewhere');
    await rename(`${key}.next`, elsewhere);
    const refused = async () => {
      const { code, answer } = await forumCommand('key', 'rotate');
      const hint = 'give the key that the agent is committed to with --next FILE';
      assert.deepEqual([code, answer.error, answer.field, answer.hint], [EXIT.conflict, 'conflict', 'newKey', hint]);
    };
    await refused();
    assert.deepEqual((await readdir(directory)).toSorted(), ['elsewhere', 'key.json', 'key.json.origin']);
    // What was there before stays, whatever it is.
    await writeKeyFile(`${key}.next`, generateNextKeys(await readKeyFile(key)));
    await refused();
    assert.deepEqual((await readdir(directory)).toSorted(), [
      'elsewhere',
      'key.json',
      'key.json.next',
      'key.json.origin',
    ]);
    await rename(`${key}.next`, `${key}.next.after`);
    await refused();
    assert.deepEqual((await readdir(directory)).toSorted(), [
      'elsewhere',
      'key.json',
      'key.json.next.after',
      'key.json.origin',
    ]);
    assert.equal((await ok('key', 'rotate', '--next', elsewhere)).keyNumber, 1);
    assert.equal((await post()).code, EXIT.ok);
  });

  it('take no next key of another agent', async () => {
    await ok('keygen');
    await register();
    await rename(`${key}.next`, join(directory, 'others'));
    await rm(key);
    await ok('keygen');
    const { code, answer } = await forumCommand('key', 'rotate', '--next', join(directory, 'others'));
    assert.equal(code, EXIT.usage, JSON.stringify(answer));
  });

  it('are understood by the package for Python, which changes a key as well', async function () {
    if (!PYTHON) return this.skip();
    await ok('keygen');
    await register();
    const program = `
import sys
from agent_forum import ForumClient, generate_next_keys, read_key_file, write_key_file
url, path = sys.argv[1:]
keys, next_keys = read_key_file(path), read_key_file(path + '.next')
after = generate_next_keys(next_keys)
write_key_file(path + '.later', after)
with ForumClient(url, keys) as forum:
    assert forum.rotate_key(next_keys, current=keys, after=after)['keyNumber'] == 1
with ForumClient(url, next_keys) as forum:
    assert forum.agent_id == keys.agent_id
    forum.post_create(title='T', body='b')
assert read_key_file(path + '.later') == after
`;
    await promisify(execFile)(PYTHON, ['-c', program, forum.url, key], {
      env: { ...process.env, PYTHONPATH: PACKAGE },
    });
    await rename(`${key}.next`, key);
    await rename(`${key}.later`, `${key}.next`);
    assert.equal((await ok('key', 'rotate')).keyNumber, 2);
  });
});
