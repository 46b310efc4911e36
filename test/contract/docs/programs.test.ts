import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentIdOf, ForumClient, generateAgentKeys, readKeyFile } from '../../../src/client/index.ts';
import { encodeBase64url } from '../../../src/platform/codec/text.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { blocks } from './support/blocks.ts';
import { isThere, PROGRAMS, run, runIn } from './support/programs.ts';

describe('the programs of the documentation', () => {
  let forum: TestForum;
  let directory: string;
  before(async () => {
    forum = await startForum();
    directory = await mkdtemp(join(tmpdir(), 'forum-docs-'));
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  async function placed({ language, file }: (typeof PROGRAMS)[number]): Promise<string> {
    const cwd = await mkdtemp(join(directory, `${language}-`));
    await writeFile(join(cwd, file), await (await fetch(`${forum.url}/docs/programs/${file}`)).text());
    return cwd;
  }

  it('curl alone posts with a signature that the shell computes', async function () {
    if (!(await isThere(PROGRAMS[0]))) this.skip();
    const chapter = await (await fetch(`${forum.url}/docs/signing.md`)).text();
    const block = blocks(chapter, 'bash').find((text) => !text.startsWith('#!'))!;
    const keys = generateAgentKeys();
    const registration = { handle: 'by-curl', displayName: 'by-curl', description: '', purpose: 'testing' };
    const { agent } = await new ForumClient({ baseUrl: forum.url, keys }).register(registration);
    const cwd = await mkdtemp(join(directory, 'curl-'));
    await writeFile(
      join(cwd, 'block.sh'),
      `set -euo pipefail\n${block.replaceAll('http://127.0.0.1:8080', forum.url)}`,
    );
    const env = {
      PATH: process.env.PATH,
      SEED: encodeBase64url(keys.signing.seed),
      AGENT_ID: agent.agentId,
      no_proxy: '*',
    };
    const { post } = JSON.parse((await run('bash', ['block.sh'], { cwd, env })).stdout);
    assert.deepEqual([post.title, post.author.handle], ['Hello', 'by-curl']);
    assert.equal((await stat(join(cwd, 'key.der'))).mode & 0o077, 0);
  });

  it('forum.py shows an answer wherever its output goes', async function () {
    const program = PROGRAMS[1];
    if (!(await isThere(program))) this.skip();
    const cwd = await placed(program);
    const env = { PATH: process.env.PATH, FORUM_URL: forum.url, FORUM_KEY: join(cwd, 'key.json'), no_proxy: '*' };
    const purpose = 'Trying ü and 😀';
    const words = [program.file, 'register', 'in-ascii', purpose];
    const { stdout } = await run(program.command, words, { cwd, env: { ...env, PYTHONIOENCODING: 'ascii' } });
    assert.equal(JSON.parse(stdout).agent.identity.self_description.purpose, purpose);
  });

  for (const program of PROGRAMS) {
    const { language, file, command } = program;
    it(`${file} follows no redirect`, async function () {
      if (!(await isThere(program))) this.skip();
      const asked: string[] = [];
      const [target, redirecting] = [createServer(), createServer()];
      await Promise.all([target, redirecting].map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
      const [there, here] = [target, redirecting].map(
        (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      );
      target.on('request', ({ method, url }, answer) => {
        asked.push(`${method} ${url}`);
        answer.end('{"items": []}');
      });
      redirecting.on('request', ({ url = '' }, answer) => {
        const status = Number(/\d{3}/.exec(url)?.[0] ?? 301);
        answer.writeHead(status, { location: `${there}${url}` }).end('<html>');
      });
      try {
        const cwd = await placed(program);
        const calls = [
          ['register', 'redirected', 'Testing'],
          ...[303, 308].map((status) => ['POST', `/v1/posts?${status}`, '{}']),
          ['GET', '/v1/inbox?302'],
        ];
        for (const words of calls) await assert.rejects(runIn(cwd, here!, command, [file, ...words]), words.join(' '));
        assert.deepEqual(asked, []);
      } finally {
        for (const server of [target, redirecting]) server.close();
      }
    });

    it(`${file} says in a line what became of a request, and how it is called`, async function () {
      if (!(await isThere(program))) this.skip();
      this.timeout(30_000);
      const asked: (string | undefined)[] = [];
      const server = createServer(({ url, headers, socket }, answer) => {
        asked.push(headers['x-svc-nonce'] as string | undefined);
        if (url === '/v1/away') answer.writeHead(503).end('{"error": "unavailable"}');
        else if (url === '/v1/refused') answer.writeHead(409).end('{"error": "conflict"}');
        else if (url === '/v1/proxy') answer.writeHead(502).end(Buffer.from([0x3c, 0xe9, 0x3e]));
        else if (url === '/v1/broken')
          answer.writeHead(504, { 'content-length': 99 }).write('<', () => socket.destroy());
        else if (url === '/v1/deep') answer.writeHead(504).end('['.repeat(100_000));
        else if (url === '/v1/nested') answer.end('['.repeat(100_000));
        else socket.destroy();
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const cwd = await placed(program);
      const told = async (...words: string[]) => {
        const failed = await runIn(cwd, here, command, [file, ...words]).then(
          () => assert.fail('it ended well'),
          (error: { code: number; stderr: string }) => error,
        );
        assert.ok(failed.code > 0);
        const lines = failed.stderr.trimEnd().split('\n');
        // curl says for itself what happened.
        assert.ok(lines.length === 1 || (language === 'bash' && lines.length === 2), failed.stderr);
        return lines.at(-1)!;
      };
      try {
        const lost = await told('POST', '/v1/posts', '{}');
        assert.match(lost, /no answer: .*it may have been applied: GET \/v1\/writes\/\S{22} tells$/);
        assert.ok(lost.includes(asked.at(-1)!));
        assert.match(await told('register', 'lost', 'x'), /it may have been applied: GET \/v1\/greeting tells$/);
        assert.doesNotMatch(await told('GET', '/v1/inbox'), /applied/);
        assert.doesNotMatch(await told('POST', '/v1/refused', '{}'), /applied/);
        for (const path of [
          '/v1/away',
          '/v1/proxy',
          '/v1/broken',
          '/v1/deep',
          ...(language === 'bash' ? [] : ['/v1/nested']),
        ]) {
          const line = await told('POST', path, '{}');
          if (path === '/v1/away' && language !== 'bash') assert.match(line, /^503 .*unavailable/);
          assert.ok(line.endsWith(`it may have been applied: GET /v1/writes/${asked.at(-1)} tells`), `${path} ${line}`);
        }
      } finally {
        server.close();
      }
      assert.match(await told('POST', '/v1/posts', '{}'), /nothing was sent(?!.*applied)/);
      for (const words of [[], ['register', 'only'], ['register', 'a', 'b', 'c']])
        assert.match(
          await told(...words),
          /^usage: forum\.\S+ register HANDLE PURPOSE, or forum\.\S+ METHOD PATH \[JSON\]$/,
        );
    });

    it(`${file} makes one key file, whole, however many begin at once`, async function () {
      if (!(await isThere(program))) this.skip();
      this.timeout(30_000);
      const cwd = await placed(program);
      const register = (n: number) =>
        runIn(cwd, forum.url, command, [file, 'register', `racer-${language}-${n}`, 'Racing']);
      const done = await Promise.allSettled([1, 2, 3].map(register));
      const { agentId } = JSON.parse(await readFile(join(cwd, 'keys', 'key.json'), 'utf8'));
      const registered = done.flatMap((each) => (each.status === 'fulfilled' ? [JSON.parse(each.value).agent] : []));
      // A key registers once; the other attempts are refused.
      assert.deepEqual(
        registered.map((agent) => agent.agentId),
        [agentId],
      );
      for (const each of done)
        if (each.status === 'rejected') assert.match(each.reason.stdout + each.reason.stderr, /conflict/);
      assert.deepEqual(await readdir(join(cwd, 'keys')), ['key.json', 'key.json.next']);
      assert.equal((await stat(join(cwd, 'keys', 'key.json'))).mode & 0o777, 0o600);
    });

    it(`${file} leaves nothing of a key file where the disk is full`, async function () {
      if (!(await isThere(program)) || process.platform === 'win32') this.skip();
      const cwd = await placed(program);
      const full = ['-c', `trap '' XFSZ; ulimit -f 0; "$@"`, 'bash', command, file, 'GET', '/v1/posts'];
      await assert.rejects(runIn(cwd, forum.url, 'bash', full), (error: { stderr: string }) => {
        assert.match(error.stderr, /EFBIG|File too large/);
        return true;
      });
      // The shell puts its files in another place first.
      assert.deepEqual(await readdir(join(cwd, 'keys')).catch(() => []), []);
    });

    describe(file, () => {
      const handle = `by-${language}`;
      const purpose = 'Trying this "forum": ü \\ &';
      const post = ['POST', '/v1/posts', '{"title": "Hello", "body": "It is signed"}'];
      let cwd: string;
      let keyFile: string;
      let registered: string;
      const called = (...words: string[]) => runIn(cwd, forum.url, command, [file, ...words]);
      before(async function () {
        if (!(await isThere(program))) this.skip();
        cwd = await placed(program);
        keyFile = join(cwd, 'keys', 'key.json');
        registered = await called('register', handle, purpose);
      });

      it('makes keys, registers, posts and reads', async () => {
        const chapter = await (await fetch(`${forum.url}/docs/signing.md`)).text();
        assert.ok(chapter.includes(`](/docs/programs/${file})`), 'the chapter does not link to it');
        const { agent } = JSON.parse(registered);
        assert.deepEqual([agent.handle, agent.identity.self_description.purpose], [handle, purpose]);
        // The key file is the client's too.
        assert.equal(agentIdOf(await readKeyFile(keyFile)), agent.agentId);
        const { author, postId } = JSON.parse(await called(...post)).post;
        assert.equal(author.handle, handle);
        const { items } = JSON.parse(await called('GET', `/v1/posts?author=${handle}&limit=1`));
        assert.equal(items[0].postId, postId);
        const odd = called('GET', `/v1/posts?limit=1&author=${handle}?`).then(
          (page) => JSON.parse(page).items,
          () => [],
        );
        assert.deepEqual(await odd, [], 'the second mark belongs to the query');
        const slashed = await runIn(cwd, `${forum.url}/`, command, [file, 'GET', '/v1/greeting']);
        assert.equal(JSON.parse(slashed).agent.handle, handle);
      });

      it('says in a line that its answer could not be printed', async function () {
        if (!existsSync('/dev/full')) this.skip();
        const full = runIn(cwd, forum.url, 'sh', ['-c', 'exec "$@" > /dev/full', 'sh', command, file, ...post]);
        const said = await full.then(
          () => '',
          ({ stderr }: { stderr: string }) => stderr,
        );
        assert.match(said, /^[^\n]*done, but not printed[^\n]*\n$/);
      });

      it('signs with no key file that others may read', async function () {
        if (process.platform === 'win32') this.skip();
        for (const mode of [0o604, 0o640]) {
          await chmod(keyFile, mode);
          await assert.rejects(called('GET', '/v1/posts'), (error: { stderr: string }) => {
            assert.match(error.stderr, /^(?:forum\.py: )?\S+\/key\.json is open to others: chmod 600 it\n$/);
            return true;
          });
        }
        await chmod(keyFile, 0o400);
        await called('GET', '/v1/posts');
      });
    });
  }
});
