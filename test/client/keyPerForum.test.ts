import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EXIT } from '../../src/client/commandLine.ts';
import {
  ForumClient,
  formerKeyFilePath,
  generateAgentKeys,
  KeyFileError,
  keyFilePath,
  readKeyFile,
  signingFetch,
  writeKeyFile,
} from '../../src/client/index.ts';
import { RecordingServer, sendJson } from './support/forum.ts';
import { runForJson } from './support/runCommand.ts';

const ELSEWHERE = 'https://other.example';
const GREETING = { agent: null };

describe('the key file of each forum', () => {
  const forum = new RecordingServer();
  const other = new RecordingServer();
  let home: string;
  before(async () => {
    await forum.start();
    await other.start();
  });
  after(async () => {
    await forum.stop();
    await other.stop();
  });
  beforeEach(async () => {
    for (const server of [forum, other]) {
      server.reset();
      server.answer = (_request, response) => sendJson(response, 200, GREETING);
    }
    home = await mkdtemp(join(tmpdir(), 'forum-home-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  const at = (server: RecordingServer, ...argv: string[]) =>
    runForJson(argv, { env: { FORUM_URL: server.origin, HOME: home } });
  const declined: RecordingServer['answer'] = (_request, response) =>
    sendJson(response, 200, GREETING, { 'x-svc-auth': 'declined' });
  const signedBy = (server: RecordingServer) => server.last.headers['x-svc-agent-id'];

  it('is in a folder that is named for the origin', () => {
    const inFolder = (folder: string) => join(home, '.config', 'agent-forum', folder, 'key.json');
    for (const [origin, folder] of [
      ['https://forum.example', 'https_forum.example'],
      ['http://127.0.0.1:8080', 'http_127.0.0.1_8080'],
      ['http://[::1]:8080', 'http_--1_8080'],
      ['https://[2001:db8::7]', 'https_2001-db8--7'],
    ] as const) {
      assert.equal(keyFilePath(origin, home), inFolder(folder));
    }
  });

  it('is made by keygen, one for each forum, and says which forum it is for', async () => {
    const [one, two] = [await at(forum, 'keygen'), await at(other, 'keygen')];
    assert.notEqual(one.answer.agentId, two.answer.agentId);
    assert.equal(one.answer.keyFile, keyFilePath(forum.origin, home));
    assert.equal((await readKeyFile(one.answer.keyFile)).origin, forum.origin);
    await at(forum, 'greeting');
    assert.equal(signedBy(forum), one.answer.agentId);
    await at(other, 'greeting');
    assert.equal(signedBy(other), two.answer.agentId);
  });

  it('is refused at a second forum before anything is sent, with the remedy', async () => {
    const { answer } = await at(forum, 'keygen');
    const key = ['--key', answer.keyFile];
    for (const argv of [
      ['greeting', ...key],
      ['post', '--title', 't', '--body', 'b', ...key],
      ['register', 'ada', '--purpose', 'p', ...key],
      ['key', 'freeze', ...key],
      ['key', 'rotate', ...key],
      ['whoami', ...key],
    ]) {
      const refused = await at(other, ...argv);
      assert.deepEqual([refused.code, refused.answer.error], [EXIT.usage, 'key_file'], argv.join(' '));
      assert.ok(refused.answer.message.includes(`is for ${forum.origin} and is not used at ${other.origin}`));
      assert.match(refused.answer.hint, /forum keygen .* --any-origin/);
    }
    assert.deepEqual(other.received, []);
    assert.deepEqual(
      [existsSync(`${answer.keyFile}.next`), existsSync(`${answer.keyFile}.next.after`)],
      [false, false],
    );
  });

  it('is used at a second forum where the caller says so', async () => {
    const { answer } = await at(forum, 'keygen');
    assert.equal((await at(other, 'greeting', '--key', answer.keyFile, '--any-origin')).code, EXIT.ok);
    assert.equal(signedBy(other), answer.agentId);
    const env = { FORUM_URL: other.origin, FORUM_KEY: answer.keyFile, AGENT_FORUM_ANY_ORIGIN: '1' };
    assert.equal((await runForJson(['greeting'], { env })).code, EXIT.ok);
    assert.equal((await readKeyFile(answer.keyFile)).origin, forum.origin);
  });

  it('remembers the first forum that accepts a signature, and no forum that declines it', async () => {
    const path = join(home, 'named.json');
    const { answer } = await at(forum, 'keygen', '--key', path);
    assert.equal((await readKeyFile(path)).origin, undefined);
    other.answer = declined;
    await at(other, 'greeting', '--key', path);
    other.answer = (_request, response) => sendJson(response, 404, { error: 'not_found' });
    await at(other, 'greeting', '--key', path);
    assert.equal((await readKeyFile(path)).origin, undefined);
    const before = await readFile(path, 'utf8');
    await at(forum, 'greeting', '--key', path);
    assert.equal((await readKeyFile(path)).origin, forum.origin);
    // Older clients read the same file.
    assert.equal(await readFile(path, 'utf8'), before);
    assert.equal((await at(other, 'greeting', '--key', path)).answer.error, 'key_file');
    assert.equal(signedBy(forum), answer.agentId);
  });

  it('remembers where it was registered', async () => {
    const path = join(home, 'named.json');
    await at(forum, 'keygen', '--key', path);
    forum.answer = (_request, response) => sendJson(response, 201, { agentId: 'a' });
    const { answer } = await at(forum, 'register', 'ada', '--purpose', 'p', '--key', path);
    assert.equal((await readKeyFile(path)).origin, forum.origin);
    assert.deepEqual([answer.keyFile, answer.nextKeyFile], [path, `${path}.next`]);
    assert.ok(answer.note.startsWith(`The next key is in ${path}.next. Move that file to another machine`));
  });

  it('works in a folder that cannot be written, where it can remember nothing', async function () {
    if (process.getuid?.() === 0) return this.skip();
    const path = join(home, 'secrets', 'key.json');
    await writeKeyFile(path, generateAgentKeys());
    await chmod(dirname(path), 0o500);
    assert.equal((await at(forum, 'greeting', '--key', path)).code, EXIT.ok);
    await chmod(dirname(path), 0o700);
  });

  describe('of older releases, which had one for all forums', () => {
    let former: string;
    let agentId: string;
    beforeEach(async () => {
      former = formerKeyFilePath(home);
      await mkdir(dirname(former), { recursive: true });
      ({ agentId } = (await at(forum, 'keygen', '--key', former)).answer);
    });

    it('is read until a forum has accepted it, and then for that forum alone', async () => {
      await at(forum, 'greeting');
      assert.equal(signedBy(forum), agentId);
      await at(other, 'greeting');
      assert.equal(signedBy(other), undefined);
      const refused = await at(other, 'post', '--title', 't', '--body', 'b');
      assert.deepEqual([refused.answer.error, refused.answer.hint], ['key_file', 'forum keygen']);
      await at(forum, 'greeting');
      assert.equal(signedBy(forum), agentId);
    });

    it('is not registered at one more forum by accident', async () => {
      const { code, answer } = await at(forum, 'register', 'ada', '--purpose', 'p');
      assert.deepEqual([code, answer.error], [EXIT.usage, 'key_file']);
      assert.match(answer.message, /does not name the forum that it is for/);
      assert.deepEqual(forum.received, []);
      forum.answer = (_request, response) => sendJson(response, 404, { error: 'not_found' });
      const made = await at(forum, 'keygen');
      assert.equal(made.answer.keyFile, keyFilePath(forum.origin, home));
      assert.notEqual(made.answer.agentId, agentId);
    });

    it('is not replaced by keygen where it is registered', async () => {
      const { code, answer } = await at(forum, 'keygen');
      assert.equal(code, EXIT.usage);
      assert.equal(answer.message, `${former} exists and has an agent of this forum`);
      assert.equal((await readKeyFile(former)).origin, forum.origin);
    });
  });

  it('binds programs that use the library', async () => {
    const keys = { ...generateAgentKeys(), origin: ELSEWHERE };
    const isRefused = (error: unknown) => error instanceof KeyFileError && error.reason === 'elsewhere';
    assert.throws(() => new ForumClient({ baseUrl: forum.origin, keys }), isRefused);
    assert.throws(() => signingFetch({ baseUrl: forum.origin, keys }), isRefused);
    new ForumClient({ baseUrl: ELSEWHERE, keys });
    await new ForumClient({ baseUrl: forum.origin, keys, anyOrigin: true }).greeting();
    assert.ok(signedBy(forum));
  });
});
