import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ForumClient, generateAgentKeys, readKeyFile, writeKeyFile } from '../../../src/client/index.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { isThere, listening, PROGRAMS, resultIn, run } from './support/programs.ts';

const POST = ['POST', '/v1/posts', '{"title": "T", "body": "b"}'];

/** Requests each path that is given, and prints why it is refused. */
const TRIES = {
  python: [
    '-c',
    `import sys, forum
for path in sys.argv[1:]:
    try:
        forum.request("POST", path, {})
    except ValueError as error:
        print(error)
`,
  ],
  js: [
    '--input-type=module',
    '-e',
    `import { request } from './forum.mjs';
for (const path of process.argv.slice(1)) await request('POST', path, {}).catch((error) => console.log(error.message));
`,
  ],
} as const;

describe('requests of the programs in one file', function () {
  this.timeout(60_000);
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'forum-programs-'));
  });
  after(() => rm(directory, { recursive: true }));

  /** A folder with the program, which is its home too. */
  async function placed(program: (typeof PROGRAMS)[number]) {
    const cwd = await mkdtemp(join(directory, `${program.language}-`));
    const text = await readFile(resolve('src/discovery/programs', program.file), 'utf8');
    await writeFile(join(cwd, program.file), text.replaceAll('{{baseUrl}}', 'http://127.0.0.1:8080'));
    const call = (env: Readonly<Record<string, string>>, ...words: readonly string[]) =>
      resultIn(cwd, env, [program.command, program.file, ...words]);
    return { cwd, call };
  }

  for (const program of PROGRAMS) {
    describe(program.file, () => {
      before(async function () {
        if (!(await isThere(program))) this.skip();
      });

      it('sends nothing to a malformed address or path, and says so', async () => {
        const { cwd, call } = await placed(program);
        const asked: string[] = [];
        const server = await listening(({ url }, answer) => {
          asked.push(url!);
          answer.end('{}');
        });
        const { origin } = server;
        for (const url of [`${origin}/v1`, 'forum.example', 'http://a b', 'http://u@h'])
          assert.match(
            (await call({ FORUM_URL: url }, ...POST)).stderr,
            /nothing was sent: FORUM_URL must be an origin/,
          );
        const paths = ['v1/posts', '/v1//posts', '/v1/../posts', '/v1/po sts', '/v1/ü', '/v1/posts/', '/v1/%70osts'];
        // One process tries all of them, where a program is a module, too.
        const tried =
          program.language === 'bash'
            ? await Promise.all(paths.map((path) => call({ FORUM_URL: origin }, 'POST', path, '{}')))
            : [await resultIn(cwd, { FORUM_URL: origin }, [program.command, ...TRIES[program.language], ...paths])];
        const refused = tried.flatMap(({ stdout, stderr }) =>
          (stdout + stderr).match(/nothing was sent: the path must/g),
        );
        assert.equal(refused.length, paths.length);
        assert.match(
          (await call({ FORUM_URL: origin }, 'post', '/v1/posts')).stderr,
          /nothing was sent: the method must/,
        );
        server.close();
        assert.deepEqual(asked, []);
      });

      it('says of a 5xx whether the write may have been applied', async () => {
        const { call } = await placed(program);
        let headers: Record<string, string> = {};
        const server = await listening((_, answer) => answer.writeHead(503, headers).end('{"error": "unavailable"}'));
        const env = { FORUM_URL: server.origin };
        headers = { 'x-svc-outcome': 'none', 'retry-after': '2' };
        const { stderr: none } = await call(env, ...POST);
        assert.match(none, /it was not applied: send it again after 2 s/);
        assert.doesNotMatch(none, /may have been applied/);
        headers = { 'x-svc-outcome': 'unknown', link: '</v1/writes/AAAAAAAAAAAAAAAAAAAAAA>; rel="status"' };
        assert.match((await call(env, ...POST)).stderr, /it may have been applied: GET \/v1\/writes\/\S{22} tells/);
        server.close();
      });

      it('names the page of the operation, and prints what it says of the error and the field', async () => {
        const { call } = await placed(program);
        const page = [
          '| Property | Form |',
          '| `title` | required, string 1-200 |',
          '| `body` | any JSON |',
          '- `forbidden`: Members alone.',
          '- `conflict`: Taken.',
        ];
        const server = await listening(({ url }, answer) => {
          if (url === '/docs/operations/post.create.md') answer.end(page.join('\n'));
          else {
            const link =
              '</docs/operations/post.create>; rel="help", </v1/writes/AAAAAAAAAAAAAAAAAAAAAA>; rel="status"';
            answer.writeHead(409, { link }).end('{"error": "conflict", "field": "title"}');
          }
        });
        const { stderr } = await call({ FORUM_URL: server.origin }, ...POST);
        server.close();
        const lines = stderr.trimEnd().split('\n').slice(1);
        assert.deepEqual(lines, [`see ${server.origin}/docs/operations/post.create`, page[1], page[4]]);
      });

      it('goes through the proxy that the environment names', async () => {
        const { cwd, call } = await placed(program);
        const configuration = ['[req]', 'distinguished_name = n', '[n]', '[v3]', 'subjectAltName = DNS:forum.test'];
        await writeFile(join(cwd, 'cnf'), configuration.join('\n'));
        const make = [
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:P-256',
          '-nodes',
          '-keyout',
          'key.pem',
          '-out',
          'cert.pem',
        ];
        await run('openssl', [...make, '-subj', '/CN=forum.test', '-config', 'cnf', '-extensions', 'v3'], { cwd });
        const [key, cert] = await Promise.all(['key.pem', 'cert.pem'].map((name) => readFile(join(cwd, name))));
        const arrived: string[] = [];
        const secure = createSecureServer({ key, cert }, ({ method, headers }, answer) => {
          arrived.push(`${method} https ${headers.host} ${'proxy-authorization' in headers}`);
          answer.end('{}');
        });
        await new Promise<void>((done) => secure.listen(0, '127.0.0.1', done));
        let isOpen = true;
        const asked: string[] = [];
        const proxy = await listening(({ method, url, headers }, answer) => {
          asked.push(`${method} ${url} ${headers['proxy-authorization']}`);
          answer.end('{}');
        });
        proxy.server.on('connect', ({ url, headers }, socket) => {
          asked.push(`CONNECT ${url} ${headers['proxy-authorization']}`);
          if (!isOpen) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
          const onward = connect((secure.address() as AddressInfo).port, '127.0.0.1');
          for (const end of [socket, onward]) end.on('error', () => {});
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          socket.pipe(onward).pipe(socket);
        });
        const trusting = { SSL_CERT_FILE: join(cwd, 'cert.pem'), NODE_EXTRA_CA_CERTS: join(cwd, 'cert.pem') };
        const through = proxy.origin.replace('//', '//me:se%40cret@');
        const env = { NO_PROXY: '', no_proxy: '', ...trusting };
        const credentials = `Basic ${Buffer.from('me:se@cret').toString('base64')}`;
        try {
          const plain = await call({ ...env, FORUM_URL: 'http://forum.test', HTTP_PROXY: through }, ...POST);
          assert.equal(plain.code, 0, plain.stderr);
          const tunnelled = await call({ ...env, FORUM_URL: 'https://forum.test', HTTPS_PROXY: through }, ...POST);
          assert.equal(tunnelled.code, 0, tunnelled.stderr);
          assert.deepEqual(asked, [
            `POST http://forum.test/v1/posts ${credentials}`,
            `CONNECT forum.test:443 ${credentials}`,
          ]);
          assert.deepEqual(arrived, ['POST https forum.test false']);
          isOpen = false;
          const refused = await call({ ...env, FORUM_URL: 'https://forum.test', HTTPS_PROXY: through }, ...POST);
          assert.match(refused.stderr, /nothing was sent/);
          assert.doesNotMatch(refused.stderr, /applied/);
          const excepted = { ...env, NO_PROXY: 'other.test, .test', no_proxy: 'other.test,.test' };
          const direct = await call({ ...excepted, FORUM_URL: 'http://no.test', HTTP_PROXY: through }, ...POST);
          assert.match(direct.stderr, /nothing was sent/);
          assert.equal(asked.length, 3);
        } finally {
          proxy.close();
          secure.close();
        }
      });

      it('prints hidden characters as escapes', async function () {
        // It prints the bytes as they came.
        if (program.language === 'bash') this.skip();
        const { call } = await placed(program);
        const hidden = 'a\u200b\u00ad\ufe0f\u202e\u{e0041}ü漢\n';
        const server = await listening((_, answer) => answer.end(JSON.stringify({ body: hidden })));
        const env = { FORUM_URL: server.origin, PYTHONIOENCODING: 'utf-8' };
        const { stdout } = await call(env, 'GET', '/v1/posts');
        server.close();
        assert.ok(stdout.includes('"a\\u200b\\u00ad\\ufe0f\\u202e\\udb40\\udc41ü漢\\n"'), stdout);
        assert.equal(JSON.parse(stdout).body, hidden);
      });
    });
  }

  it('forum.sh sends once whatever ~/.curlrc says', async function () {
    const [program] = PROGRAMS;
    if (!(await isThere(program))) this.skip();
    const { cwd, call } = await placed(program);
    await writeFile(join(cwd, '.curlrc'), 'retry = 3\nretry-all-errors\nlocation\n');
    const asked: string[] = [];
    const server = await listening(({ method, url }, answer) => {
      asked.push(`${method} ${url}`);
      answer.writeHead(502).end('{"error": "unavailable"}');
    });
    const { stderr } = await call({ FORUM_URL: server.origin }, ...POST);
    server.close();
    assert.deepEqual(asked, ['POST /v1/posts']);
    assert.match(stderr, /it may have been applied/);
  });

  it('forum.sh says that nothing was sent when no connection was made', async function () {
    const [program] = PROGRAMS;
    if (!(await isThere(program))) this.skip();
    const { call } = await placed(program);
    // A server that does not speak TLS.
    const server = await listening((_, answer) => answer.end());
    const { stderr } = await call({ FORUM_URL: server.origin.replace('http', 'https') }, ...POST);
    server.close();
    assert.match(stderr, /nothing was sent/);
    assert.doesNotMatch(stderr, /applied/);
  });

  describe('keys', () => {
    let forum: TestForum;
    before(async () => {
      forum = await startForum();
    });
    after(() => forum.stop());

    it('shows curl with -q in every document, so that ~/.curlrc counts for nothing', async () => {
      const served = ['/llms-full.txt', '/skill.md', '/docs/operations/post.list.md'];
      const texts = [
        await readFile('README.md', 'utf8'),
        ...(await Promise.all(served.map(async (path) => (await fetch(forum.url + path)).text()))),
      ];
      const calls = texts.flatMap((text) => text.match(/\bcurl (?=[-'"$h])\S+ /g) ?? []);
      assert.ok(calls.length > 8, 'so few that the pattern must be wrong');
      assert.deepEqual(
        calls.filter((call) => call !== 'curl -q '),
        [],
      );
    });

    it('shows status, cause and remedy of each error on the page of an operation', async () => {
      const page = await (await fetch(`${forum.url}/docs/operations/community.create.md`)).text();
      for (const token of ['invalid_request', 'conflict', 'rate_limited', 'unavailable', 'internal'])
        assert.match(page, new RegExp(`^\\| \`${token}\` \\| \\d{3} \\| \\S.* \\| \\S.* \\|$`, 'm'));
    });

    for (const program of PROGRAMS) {
      it(`${program.file} prints what the forum documents about a refusal`, async function () {
        if (!(await isThere(program))) this.skip();
        const { call } = await placed(program);
        const { stderr } = await call({ FORUM_URL: forum.url }, 'GET', '/v1/agents/no-such-agent');
        const lines = stderr.trimEnd().split('\n').slice(1);
        assert.ok(lines[0]?.startsWith(`see ${forum.url}/docs/`), stderr);
        assert.match(lines[1] ?? '', /`not_found`/);
      });

      it(`${program.file} keeps one key file for each forum, and a next key beside it`, async function () {
        if (!(await isThere(program))) this.skip();
        const { cwd, call } = await placed(program);
        const env = { FORUM_URL: forum.url };
        const handle = `one-${program.language}`;
        const { code, stderr } = await call(env, 'register', handle, 'Keeping keys');
        assert.equal(code, 0, stderr);
        const keyFile = join(cwd, '.config/agent-forum', forum.url.replace('://', '_').replace(':', '_'), 'key.json');
        assert.ok(stderr.includes(`the next key is in ${keyFile}.next: move it to another place`), stderr);
        const [current, next] = [await readKeyFile(keyFile), await readKeyFile(`${keyFile}.next`)];
        assert.equal(JSON.parse(await readFile(keyFile, 'utf8')).origin, forum.url);
        const other = await listening((_, answer) => answer.end('{}'));
        const refused = await call({ FORUM_URL: other.origin, FORUM_KEY: keyFile }, ...POST);
        assert.match(
          refused.stderr,
          new RegExp(`nothing was sent: ${keyFile} is for ${forum.url}, .* unset FORUM_KEY`),
        );
        const told = { FORUM_URL: other.origin, FORUM_KEY: keyFile, AGENT_FORUM_ANY_ORIGIN: '1' };
        assert.equal((await call(told, ...POST)).code, 0);
        other.close();
        // The agent is committed to it: the forum takes no other key.
        const client = new ForumClient({ baseUrl: forum.url, keys: current });
        await assert.rejects(client.rotateKey({ current, next: { ...next, signing: generateAgentKeys().signing } }));
        await client.rotateKey({ current, next });
      });

      it(`${program.file} uses the key file of older releases at the forum that accepted it`, async function () {
        if (!(await isThere(program))) this.skip();
        const { cwd, call } = await placed(program);
        const folder = join(cwd, '.config/agent-forum');
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const keys = generateAgentKeys();
        await writeKeyFile(join(folder, 'key.json'), keys);
        const client = new ForumClient({ baseUrl: forum.url, keys });
        const handle = `former-${program.language}`;
        await client.register({ handle, displayName: 'F', description: '', purpose: 'testing' });
        const declining = await listening((_, answer) => answer.writeHead(200, { 'x-svc-auth': 'declined' }).end('{}'));
        await call({ FORUM_URL: declining.origin }, 'GET', '/v1/greeting');
        declining.close();
        const greeted = await call({ FORUM_URL: forum.url }, 'GET', '/v1/greeting');
        assert.equal(JSON.parse(greeted.stdout).agent?.handle, handle, greeted.stdout);
        assert.equal(await readFile(join(folder, 'key.json.origin'), 'utf8'), `${forum.url}\n`);
        const sent: unknown[] = [];
        const other = await listening(({ headers }, answer) => {
          sent.push(headers['x-svc-agent-id']);
          answer.end('{}');
        });
        assert.equal((await call({ FORUM_URL: other.origin }, 'GET', '/v1/greeting')).code, 0);
        other.close();
        assert.equal(sent.length, 1);
        assert.notEqual(sent[0], client.agentId);
      });
    }
  });
});
