import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, describe, it } from 'mocha';
import { EXIT } from '../../src/client/commandLine.ts';
import { COMMANDS } from '../../src/client/commands.ts';
import { generateAgentKeys, keyFilePath, openEnvelope, readKeyFile, sealEnvelope } from '../../src/client/index.ts';
import { compileTree } from '../../src/tools/dev/compiled.ts';
import { scaleWait } from '../support/waits.ts';
import { hasValidSignature, RecordingServer, sendJson } from './support/forum.ts';
import { type Outcome, runCommand } from './support/runCommand.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The compiled program, which starts faster. */
const cli = async () => join(await compileTree(ROOT), 'src/client/cli.js');

const TITLE =
  '--title: one line, 1-200 characters without a leading run of # and the white space after it; not # and white space alone';

const forum = new RecordingServer();
let directory: string;
let keyPath: string;

describe('command line', () => {
  before(async () => {
    await forum.start();
    directory = await mkdtemp(join(tmpdir(), 'forum-cli-'));
    keyPath = join(directory, 'key.json');
    assert.equal((await run(['keygen'])).code, EXIT.ok);
  });
  afterEach(() => forum.reset());
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  async function run(argv: string[], env: Record<string, string | undefined> = {}, stdin = ''): Promise<Outcome> {
    return runCommand(argv, { env: { FORUM_URL: forum.origin, FORUM_KEY: keyPath, ...env }, input: stdin });
  }

  function json(output: string): Record<string, unknown> {
    return JSON.parse(output) as Record<string, unknown>;
  }

  describe('forum', () => {
    it('keygen writes a file, shows the public half and overwrites nothing', async () => {
      const path = join(directory, 'new', 'key.json');
      const made = await run(['keygen', '--key', path]);
      assert.equal(made.code, EXIT.ok);
      const keys = await readKeyFile(path);
      assert.equal(json(made.stdout).signingPublicKey, keys.signing.publicKey.toString('base64url'));
      for (const secret of [keys.signing.seed, keys.encryption.secretKey]) {
        assert.equal(made.stdout.includes(secret.toString('base64url')), false);
      }
      const again = await run(['keygen', '--key', path]);
      assert.deepEqual([again.code, again.stdout, json(again.stderr).error], [EXIT.usage, '', 'key_file']);
    });

    it('keygen ends where no folder can be made', async function () {
      if (process.platform !== 'linux') this.skip();
      // Of its own: nothing ends a call of the system that does not return, but the end of its process.
      const words = [await cli(), 'keygen', '--key', '/proc/none/key.json'];
      const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
      const limit = setTimeout(() => child.kill('SIGKILL'), scaleWait(15_000));
      const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)]);
      clearTimeout(limit);
      assert.deepEqual([code, json(stderr).error], [EXIT.usage, 'key_file']);
      assert.match(String(json(stderr).message), /cannot be written \(ENOENT\)$/);
    });

    it('keygen takes the key of an owner', async () => {
      const owner = Buffer.alloc(32, 9).toString('base64url');
      const made = await run(['keygen', '--key', join(directory, 'owned.json'), '--owner', owner]);
      assert.equal(json(made.stdout).ownerEncryptionPublicKey, owner);
      assert.equal((await run(['keygen', '--key', join(directory, 'x.json'), '--owner', 'AAAA'])).code, EXIT.usage);
    });

    it('register sends the registration', async () => {
      forum.answer = (_request, response) => sendJson(response, 201, { agent: { handle: 'some-agent' } });
      const argv = ['register', 'some-agent', '--purpose', 'p', '--capability', 'a', '--capability', 'b'];
      const { code, stdout } = await run(argv);
      const files = { keyFile: keyPath, nextKeyFile: `${keyPath}.next` };
      const { note, ...answer } = json(stdout);
      assert.deepEqual([code, answer], [EXIT.ok, { agent: { handle: 'some-agent' }, ...files }]);
      assert.match(String(note), /^The next key is in .* Move that file to another machine or medium/);
      const body = json(forum.last.body.toString()) as { identity: { self_description: unknown } };
      assert.deepEqual(body.identity.self_description, {
        display_name: 'some-agent',
        purpose: 'p',
        capabilities: ['a', 'b'],
      });
    });

    it('post publishes, from an option, a file or standard input', async () => {
      const bodyPath = join(directory, 'body.md');
      const findingPath = join(directory, 'finding.json');
      await writeFile(bodyPath, 'from a file');
      await writeFile(findingPath, '{"statement":"s"}');
      await run(['post', '--title', 't', '--body', 'b', '--community', 'some-slug']);
      await run(['post', '--title', 't', '--body-file', bodyPath, '--finding-file', findingPath]);
      await run(['post', '--title', 't', '--body-file', '-', '--preview'], {}, 'from standard input');
      assert.deepEqual(
        forum.received.filter(({ method }) => method === 'POST').map(({ path, body }) => [path, json(body.toString())]),
        [
          ['/v1/posts', { title: 't', body: 'b', communitySlug: 'some-slug' }],
          ['/v1/posts', { title: 't', body: 'from a file', communitySlug: null, finding: { statement: 's' } }],
          ['/v1/posts/preview', { title: 't', body: 'from standard input', communitySlug: null }],
        ],
      );
      const { publicKey } = (await readKeyFile(keyPath)).signing;
      for (const request of forum.received) assert.equal(hasValidSignature(request, publicKey), true);
    });

    it('post and reply look where they write, and seal where it is encrypted', async () => {
      const { encryption } = await readKeyFile(keyPath);
      const key = encryption.publicKey.toString('base64url');
      const members = [{ agentId: 'a', handle: 'h', encryptionPublicKey: key, ownerEncryptionPublicKey: key }];
      forum.answer = ({ path }, response) => {
        if (path.startsWith('/v1/communities/')) return sendJson(response, 200, { visibility: 'encrypted', members });
        sendJson(response, 200, { post: { communitySlug: 'some-slug' }, replies: [] });
      };
      await run(['post', '--title', 't', '--body', 'kept', '--community', 'some-slug']);
      await run(['reply', 'p_1', '--body', 'kept', '--parent', 'r_1']);
      await run(['reply', 'p_1', '--body', 'kept', '--preview']);
      const writes = forum.received.filter(({ method }) => method === 'POST');
      assert.deepEqual(
        writes.map(({ path }) => path),
        ['/v1/posts', '/v1/posts/p_1/replies', '/v1/replies/preview'],
      );
      for (const { body } of writes) {
        const { body: envelope } = json(body.toString());
        assert.equal(openEnvelope(envelope, { secretKey: encryption.secretKey, authorPublicKey: key }), 'kept');
      }
      assert.equal(json(writes[1]!.body.toString()).parentReplyId, 'r_1');
    });

    it('communities, votes and search call their routes', async () => {
      await run(['community', 'create', 'some-slug', '--encrypted', '--exact-slug']);
      await run(['community', 'join', 'some-slug']);
      await run(['community', 'add', 'some-slug', 'some-agent']);
      await run(['community', 'read', 'some-slug']);
      await run(['vote', 'p_1', 'up']);
      await run(['recant', 'r_1']);
      await run(['search', 'a b', '--all', '--full', '--author', 'h', '--limit', '5']);
      assert.deepEqual(
        forum.received.map(({ method, path, query, body }) => [`${method} ${path}`, query || body.toString()]),
        [
          [
            'POST /v1/communities',
            '{"slug":"some-slug","displayName":"some-slug","description":"","visibility":"encrypted"}',
          ],
          ['POST /v1/communities/some-slug/members', '{}'],
          ['POST /v1/communities/some-slug/members', '{"handle":"some-agent"}'],
          ['GET /v1/communities/some-slug', ''],
          ['POST /v1/votes', '{"targetId":"p_1","value":"up"}'],
          ['POST /v1/votes/recant', '{"targetId":"r_1"}'],
          ['GET /v1/search', 'author=h&limit=5&match=all&q=a%20b&view=full'],
        ],
      );
    });

    it('thread follows the pages to the end', async () => {
      const reply = (replyId: string) => ({ replyId, body: replyId });
      forum.answer = ({ query }, response) =>
        sendJson(
          response,
          200,
          query.includes('cursor=next')
            ? { post: { postId: 'p_1' }, replies: [reply('r_2')] }
            : { post: { postId: 'p_1' }, replies: [reply('r_1')], nextReplyCursor: 'next' },
        );
      const { stdout } = await run(['thread', 'p_1']);
      assert.deepEqual(json(stdout), { post: { postId: 'p_1' }, replies: [reply('r_1'), reply('r_2')] });
      assert.deepEqual(
        forum.received.map(({ query }) => query),
        ['limit=100', 'cursor=next&limit=100'],
      );
    });

    it('open needs an owner’s secret and the author’s public card alone', async () => {
      const author = await readKeyFile(keyPath);
      const owner = generateAgentKeys().encryption;
      const keys = { encryptionPublicKey: author.encryption.publicKey.toString('base64url') };
      const members = [{ ...keys, ownerEncryptionPublicKey: owner.publicKey.toString('base64url') }];
      const envelopeFile = join(directory, 'envelope.json');
      const secretFile = join(directory, 'owner.secret');
      await writeFile(envelopeFile, JSON.stringify(sealEnvelope('for the owner', members, author.encryption)));
      await writeFile(secretFile, `${owner.secretKey.toString('base64url')}\n`);
      const identity = { encryption_public_key: keys.encryptionPublicKey };
      forum.answer = (_request, response) => sendJson(response, 200, { handle: 'author', identity });
      const nobody = { FORUM_KEY: undefined, HOME: directory };
      const argv = ['open', 'author', '--envelope-file', envelopeFile];
      const opened = await run([...argv, '--secret-file', secretFile], nobody);
      assert.deepEqual(json(opened.stdout), { author: 'author', body: 'for the owner' });
      assert.deepEqual(
        forum.received.map(({ path, headers }) => [path, headers['x-svc-signature']]),
        [['/v1/agents/author', undefined]],
      );
      assert.equal(json((await run(argv)).stdout).body, 'for the owner');
      await writeFile(secretFile, generateAgentKeys().encryption.secretKey.toString('base64url'));
      assert.equal((await run([...argv, '--secret-file', secretFile], nobody)).code, EXIT.usage);
    });

    it('read, list and greeting pass their filters on', async () => {
      await run(['read', 'p_1', '--limit', '50', '--cursor', 'c']);
      await run(['list', '--community', 's', '--author', 'h', '--type', 'question']);
      await run(['greeting', '--compact']);
      for (const list of [['read', 'p_1'], ['questions'], ['community', 'list']])
        await run([...list, '--order', 'newest']);
      assert.deepEqual(
        forum.received.map(({ path, query }) => `${path}?${query}`),
        [
          '/v1/posts/p_1?cursor=c&limit=50',
          '/v1/posts?author=h&community=s&postType=question',
          '/v1/greeting?view=compact',
          '/v1/posts/p_1?order=newest',
          '/v1/questions/unanswered?order=newest',
          '/v1/communities?order=newest',
        ],
      );
    });

    it('reads sign when there is a key, and are anonymous otherwise', async () => {
      await run(['list']);
      assert.notEqual(forum.last.headers['x-svc-signature'], undefined);
      await run(['list', '--anonymous']);
      assert.equal(forum.last.headers['x-svc-signature'], undefined);
      await run(['list'], { FORUM_KEY: undefined, HOME: directory });
      assert.equal(forum.last.headers['x-svc-signature'], undefined);
      const missing = await run(['list', '--key', join(directory, 'none.json')]);
      assert.deepEqual([missing.code, json(missing.stderr).error, forum.received.length], [EXIT.usage, 'key_file', 3]);
    });

    it('empty settings count as unset', async () => {
      const made = await run(['keygen'], { FORUM_KEY: '', HOME: join(directory, 'home') });
      assert.equal(json(made.stdout).keyFile, keyFilePath(forum.origin, join(directory, 'home')));
      const { stderr } = await run(['list', '--timeout', '5'], { FORUM_URL: '' });
      assert.doesNotMatch(stderr, /an http or https origin/);
    });

    it('whoami shows whether the forum knows the agent', async () => {
      forum.answer = (_request, response) =>
        sendJson(response, 200, { agent: { handle: 'me' }, karma: { balance: 40 } });
      const known = json((await run(['whoami'])).stdout);
      assert.deepEqual([known.registered, known.signatureAccepted, known.agent], [true, true, { handle: 'me' }]);
      assert.equal(forum.last.path, `/v1/agents/${String(known.agentId)}/dossier`);
      forum.answer = (_request, response) => sendJson(response, 404, { error: 'not_found' });
      const unknown = await run(['whoami']);
      assert.deepEqual([unknown.code, json(unknown.stdout).registered], [EXIT.ok, false]);
    });

    it('reconcile reports the outcome of a write', async () => {
      forum.answer = (_request, response) => sendJson(response, 404, { error: 'not_found' });
      const timestamp = String(Math.floor(Date.now() / 1000) - 1000);
      const { stdout } = await run(['reconcile', '--timestamp', timestamp, '--', '-AECAwQFBgcICQoLDA0ODw']);
      assert.deepEqual(json(stdout), { state: 'absent' });
    });

    it('escapes what could steer a terminal', async () => {
      const title = 'a\u009b31m\u202eb\u001b[0m\u2028é';
      forum.answer = (_request, response) => sendJson(response, 200, { title });
      const { stdout } = await run(['list']);
      assert.match(stdout, /^[\n\x20-\x7eé]*$/);
      assert.deepEqual(json(stdout), { title });
    });
  });

  describe('forum: exit codes and errors', () => {
    it('1 when the service refuses', async () => {
      forum.answer = (_request, response) =>
        sendJson(response, 400, { error: 'invalid_request', field: 'title' }, { 'x-request-id': 'r1' });
      const { code, stdout, stderr } = await run(['post', '--title', 't', '--body', 'b']);
      assert.deepEqual([code, stdout], [EXIT.refused, '']);
      const { error, status, field, requestId, hint } = json(stderr);
      assert.deepEqual([error, status, field, requestId, hint], ['invalid_request', 400, 'title', 'r1', TITLE]);
    });

    it('4 with the difference of the clocks when a signature is refused', async () => {
      const date = new Date(Date.now() + 1000_000).toUTCString();
      forum.answer = (_request, response) => sendJson(response, 401, { error: 'unauthorized' }, { date });
      const { code, stderr } = await run(['post', '--title', 't', '--body', 'b']);
      assert.equal(code, EXIT.notAllowed);
      assert.match(String(json(stderr).hint), /clock \((999|1000|1001) s behind/);
    });

    const misuses: string[][] = [
      ['nothing'],
      ['constructor'],
      ['post'],
      ['post', '--title', 't'],
      ['post', '--title', 't', '--body-file', '/nowhere/at/all'],
      ['post', '--title', 't', '--body', 'b', '--body-file', '/nowhere/at/all'],
      ['call', 'post.list', '--json', '{}', '--json-file', '-'],
      ['challenge', 'answer', 'ch_1', '--json', '{}', '--json-file', '-'],
      ['verify', 'post', 'p_1', '--log-key', '/nowhere/at/all'],
      ['verify', 'export', '/nowhere/at/all', '--log-key', '/nowhere/at/all'],
      ['post', '--nonsense'],
      ['post', 'extra', '--title', 't', '--body', 'b'],
      ['read'],
      ['read', '../x'],
      ['list', '--limit', 'many'],
      ['list', '--limit'],
      ['list', '--limit', '1', '--limit', '2'],
      ['list', '--anonymous', '--anonymous'],
      ['register', 'some-agent', '--purpose', 'a', '--capability', 'b', '--capability', 'c', '--purpose', 'd'],
      ['list', '--url', 'not an address'],
      ['community'],
      ['community', 'leave', 'some-slug'],
      ['community', 'add', 'some-slug'],
      ['vote', 'p_1', 'sideways'],
      ['reply', 'p_1'],
      ['open', 'author'],
      ['open', 'author', '--envelope-file', '/nowhere/at/all'],
      ['register', 'some-agent'],
      ['register', 'some-agent', '--purpose', 'a\nb'],
    ];
    for (const argv of misuses) {
      it(`2 for forum ${JSON.stringify(argv.join(' '))}`, async () => {
        const { code, stdout, stderr } = await run(argv);
        assert.deepEqual([code, stdout, json(stderr).error], [EXIT.usage, '', 'usage']);
        assert.equal(forum.received.length, 0);
      });
    }

    it('3 when no answer comes, with the way to reconcile', async () => {
      forum.answer = (_request, response) => response.destroy();
      const { code, stderr } = await run(['post', '--title', 't', '--body', 'b']);
      const { error, nonce, timestamp, hint } = json(stderr);
      assert.deepEqual([code, error, nonce], [EXIT.network, 'network', forum.last.headers['x-svc-nonce']]);
      assert.equal(
        hint,
        `it may have been applied; before sending it again: forum reconcile --timestamp ${String(timestamp)} -- ${String(nonce)}`,
      );
      const reading = await run(['list']);
      assert.deepEqual([reading.code, json(reading.stderr).hint], [EXIT.network, undefined]);
    });

    it('3 when no answer comes to what has no nonce to ask by, with what tells', async () => {
      forum.answer = (_request, response) => response.destroy();
      const presigned = ['--agent', `ag1-${'A'.repeat(22)}`, '--signature', Buffer.alloc(64).toString('base64url')];
      for (const [argv, tells] of [
        [['register', 'some-agent', '--purpose', 'x'], 'run `forum whoami` to see whether the key is registered'],
        [['key', 'rotate'], 'repeat the command to continue: forum key rotate'],
        [
          ['key', 'freeze'],
          'repeat the command: it changes nothing more, and shows since when the key is frozen: forum key freeze',
        ],
        [
          ['key', 'freeze', ...presigned],
          'repeat the command: it changes nothing more, and shows since when the key is frozen: forum key freeze',
        ],
      ] as const) {
        const { code, stderr } = await run([...argv]);
        const { error, hint } = json(stderr);
        assert.deepEqual([code, error, hint], [EXIT.network, 'network', `it may have been applied; ${tells}`]);
      }
    });

    it('3 when what is lost is a read before the write, of which nothing can have been applied', async () => {
      const presigned = ['--agent', 'ada', '--signature', Buffer.alloc(64).toString('base64url')];
      for (const argv of [
        ['reply', 'p_1', '--body', 'b'],
        ['post', '--title', 't', '--body', 'b', '--community', 'logic'],
        ['mute', 'ada'],
        ['key', 'freeze', ...presigned],
        ['call', 'post.list'],
      ]) {
        for (const [answer, expected] of [
          [(_: unknown, response: ServerResponse) => response.destroy(), EXIT.network],
          [(_: unknown, response: ServerResponse) => sendJson(response, 200, []), EXIT.network],
          [(_: unknown, response: ServerResponse) => response.writeHead(502).end('Bad gateway'), EXIT.network],
        ] as const) {
          forum.answer = answer;
          const { code, stderr } = await run(argv);
          assert.equal(forum.last.method, 'GET', argv[0]);
          assert.equal(code, expected);
          assert.doesNotMatch(String(json(stderr).hint), /applied/, argv[0]);
        }
      }
    });

    it('3 when the program is ended while it waits for an answer, with the nonce to ask by', async () => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        const { code, stderr } = await interrupted(['post', '--title', 't', '--body', 'b'], signal, '/v1/posts');
        const { error, message, nonce, timestamp, hint } = json(stderr);
        assert.deepEqual([code, error, message], [EXIT.network, 'network', `no answer: interrupted by ${signal}`]);
        assert.equal(nonce, forum.last.headers['x-svc-nonce']);
        assert.match(String(hint), new RegExp(`forum reconcile --timestamp ${timestamp} -- ${nonce}$`));
      }
    });

    it('128 and the number of the signal when it waits for something else', async () => {
      const { code } = await interrupted(['watch', '--every', '60'], 'SIGINT', '/v1/inbox');
      assert.equal(code, 130);
    });

    /** Ends the program by a signal a moment after it has asked for a path, where `/v1/posts` is never answered. */
    async function interrupted(argv: string[], signal: NodeJS.Signals, path: string) {
      const child = spawn(process.execPath, [await cli(), ...argv], {
        env: { ...process.env, FORUM_URL: forum.origin, FORUM_KEY: keyPath },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      forum.answer = (received, response) => {
        if (received.path !== '/v1/posts') sendJson(response, 200, { items: [], serverTime: new Date().toJSON() });
        if (received.path === path) setTimeout(() => child.kill(signal), 200);
      };
      const limit = setTimeout(() => child.kill('SIGKILL'), scaleWait(15_000));
      const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)]);
      clearTimeout(limit);
      return { code: code as number | null, stderr };
    }

    it('3 when nothing was sent, which is said, and there is nothing to ask for', async () => {
      const closed = await new Promise<number>((resolve) => {
        const server = createServer().listen(0, '127.0.0.1', () => {
          const { port } = server.address() as AddressInfo;
          server.close(() => resolve(port));
        });
      });
      const unreachable = { FORUM_URL: `http://127.0.0.1:${closed}`, AGENT_FORUM_ANY_ORIGIN: '1' };
      for (const argv of [['list'], ['post', '--title', 't', '--body', 'b'], ['register', 'a-b', '--purpose', 'x']]) {
        const { code, stderr } = await run(argv, unreachable);
        const { message, hint, nonce } = json(stderr);
        assert.deepEqual([code, nonce], [EXIT.network, undefined]);
        assert.match(String(message), /^nothing was sent: .*ECONNREFUSED/);
        assert.equal(hint, 'is the service running there? --url and FORUM_URL name it');
      }
    });

    it('3 when standard output does not take the answer, in a line', async function () {
      if (process.platform !== 'linux') this.skip();
      forum.answer = (_request, response) => sendJson(response, 200, { posts: [] });
      const full = await open('/dev/full', 'w');
      const child = spawn(process.execPath, [await cli(), 'list', '--anonymous'], {
        env: { ...process.env, FORUM_URL: forum.origin, FORUM_KEY: keyPath },
        stdio: ['ignore', full.fd, 'pipe'],
      });
      const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr!)]);
      await full.close();
      assert.deepEqual([code, json(stderr).error], [EXIT.network, 'output']);
    });

    it('0 for files that begin with a byte order mark, which is no part of them', async () => {
      const marked = join(directory, 'marked');
      const sent = () => JSON.parse(String(forum.last.body));
      await writeFile(marked, '\ufeffSome words\r\n');
      await run(['post', '--title', 't', '--body-file', marked]);
      assert.equal(sent().body, 'Some words\r\n');
      await writeFile(marked, '\ufeff{"title": "t", "body": "b"}');
      await run(['call', 'post.create', '--json-file', marked]);
      assert.deepEqual(sent(), { title: 't', body: 'b' });
    });

    it('2 for text that is not UTF-8, and a declaration as the documentation shows it is taken', async () => {
      const broken = join(directory, 'broken.txt');
      await writeFile(broken, Buffer.from([0xff, 0xfe, 0x20, 0x62]));
      const { code, stderr } = await run(['post', '--title', 't', '--body-file', broken]);
      assert.deepEqual([code, forum.received.length], [EXIT.usage, 0]);
      assert.match(String(json(stderr).message), /is not UTF-8/);
      const declared = join(directory, 'declaration.json');
      await writeFile(declared, JSON.stringify({ format: 'svc-challenge-declaration-v1', prompt: 'p' }));
      forum.answer = (_request, response) => sendJson(response, 201, {});
      await run(['challenge', 'declare', '--file', declared]);
      assert.deepEqual(json(forum.last.body.toString()), { prompt: 'p' });
    });

    it('3 when something else than the forum answers', async () => {
      forum.answer = (_request, response) => response.writeHead(302, { location: '/' }).end();
      assert.equal((await run(['list'])).code, EXIT.network);
      forum.answer = (_request, response) => response.writeHead(502).end('<html>');
      const { code, stderr } = await run(['post', '--title', 't', '--body', 'b']);
      assert.equal(code, EXIT.network);
      assert.match(String(json(stderr).hint), /reconcile/);
    });
  });

  describe('forum: help', () => {
    it('lists every command', async () => {
      const { code, stdout } = await run(['--help']);
      assert.equal(code, EXIT.ok);
      for (const name of Object.keys(COMMANDS)) assert.match(stdout, new RegExp(`^  ${name} `, 'm'));
      assert.equal((await run([])).code, EXIT.usage);
    });

    for (const [name, command] of Object.entries(COMMANDS)) {
      it(`tells every option of ${name}`, async () => {
        const { code, stdout } = await run([...name.split(' '), '--help']);
        assert.equal(code, EXIT.ok);
        for (const option of [...Object.keys(command.options), 'url', 'key'])
          assert.match(stdout, new RegExp(`--${option}\\b`));
        assert.equal(forum.received.length, 0);
      });
    }
  });

  describe('forum as a process', () => {
    it('reads standard input, prints JSON and exits with the code', async function () {
      this.timeout(20_000);
      forum.answer = (_request, response) => sendJson(response, 201, { post: { postId: 'p_1' } });
      const argv = [await cli(), 'post', '--title', 't', '--body-file', '-'];
      const child = spawn(process.execPath, argv, {
        env: { ...process.env, FORUM_URL: forum.origin, FORUM_KEY: keyPath },
      });
      const exit = new Promise((resolve) => child.on('close', resolve));
      child.stdin.end('piped é');
      assert.deepEqual(json(await text(child.stdout)), { post: { postId: 'p_1' } });
      assert.equal(await exit, EXIT.ok);
      assert.equal(json(forum.last.body.toString()).body, 'piped é');
    });
  });
});
