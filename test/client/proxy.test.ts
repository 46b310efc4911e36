import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request as sendRequest } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EXIT } from '../../src/client/commandLine.ts';
import { ForumClient, generateAgentKeys, signingFetch } from '../../src/client/index.ts';
import { findProgram } from '../support/programs.ts';
import { RecordingServer, sendJson } from './support/forum.ts';
import { runCommand, runForJson } from './support/runCommand.ts';

/** Names that only the proxy can resolve: what arrives there came through it. */
const PLAIN = 'http://forum.test:8080';
const SECURE = 'https://forum.test';

/** A proxy on loopback: passes plain requests on and opens tunnels, always to the servers of this test. */
class LoopbackProxy {
  readonly seen: string[] = [];
  /** Refuses tunnels. */
  isClosed = false;
  readonly server = createServer((request, response) => {
    this.seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    const { pathname, search } = new URL(request.url!);
    const { method, headers } = request;
    const passed = sendRequest({ port: this.plainPort, method, headers, path: pathname + search }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  plainPort = 0;
  securePort = 0;

  async start(): Promise<void> {
    this.server.on('connect', (request, socket) => {
      this.seen.push(`CONNECT ${request.url}`);
      if (this.isClosed) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      const onward = connect(this.securePort, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      socket.on('error', () => onward.destroy());
      onward.on('error', () => socket.destroy());
    });
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

describe('the proxy that the environment names', function () {
  this.timeout(30_000);
  const forum = new RecordingServer();
  const proxy = new LoopbackProxy();
  const secure: string[] = [];
  let tls: ReturnType<typeof createTlsServer>;
  let directory: string;
  before(async () => {
    await forum.start();
    await proxy.start();
    directory = await mkdtemp(join(tmpdir(), 'forum-proxy-'));
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const subject = ['-subj', '/CN=forum.test', '-addext', 'subjectAltName=DNS:forum.test', '-days', '2'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject],
      {
        stdio: 'ignore',
      },
    );
    tls = createTlsServer({ key: await readFile(key), cert: await readFile(cert) }, (request, response) => {
      secure.push(String(request.url));
      sendJson(response, 200, { items: [] });
    });
    await once(tls.listen(0, '127.0.0.1'), 'listening');
    proxy.plainPort = Number(new URL(forum.origin).port);
    proxy.securePort = (tls.address() as AddressInfo).port;
  });
  after(async () => {
    await forum.stop();
    for (const server of [proxy.server, tls]) {
      server.closeAllConnections();
      server.close();
    }
    await rm(directory, { recursive: true });
  });
  beforeEach(() => {
    proxy.seen.length = 0;
    secure.length = 0;
    proxy.isClosed = false;
    forum.reset();
    forum.answer = (_request, response) => sendJson(response, 200, { items: [] });
  });

  const list = (env: Record<string, string>) => runForJson(['list'], { env: { HOME: directory, ...env } });

  it('passes plain requests of the command line on, without a tunnel', async () => {
    for (const name of ['HTTP_PROXY', 'http_proxy']) {
      const { code, answer } = await list({ FORUM_URL: PLAIN, [name]: proxy.url });
      assert.deepEqual([code, answer], [EXIT.ok, { items: [] }]);
      assert.equal(proxy.seen.pop(), `GET ${PLAIN}/v1/posts`);
      assert.deepEqual(proxy.seen, []);
      assert.equal(forum.last.headers.host, 'forum.test:8080');
    }
  });

  it('is given its user and password, and named without a scheme', async () => {
    const address = proxy.url.replace('http://', 'ada:s3cret@');
    assert.equal((await list({ FORUM_URL: PLAIN, HTTP_PROXY: address })).code, EXIT.ok);
    assert.equal(proxy.seen[0], `GET ${PLAIN}/v1/posts Basic ${btoa('ada:s3cret')}`);
  });

  it('tunnels HTTPS for the command line as a process', async () => {
    const env = { PATH: process.env.PATH!, HOME: directory, FORUM_URL: SECURE, HTTPS_PROXY: proxy.url };
    const trusted = { ...env, NODE_EXTRA_CA_CERTS: join(directory, 'cert.pem') };
    const cli = await findProgram('src/client/cli.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [cli, 'list'], { env: trusted });
    assert.deepEqual(JSON.parse(stdout), { items: [] });
    assert.deepEqual([proxy.seen, secure], [['CONNECT forum.test:443'], ['/v1/posts']]);
  });

  it('is not used for hosts that NO_PROXY lists', async () => {
    const env = { FORUM_URL: forum.origin, HTTP_PROXY: proxy.url };
    assert.equal((await list({ ...env, NO_PROXY: 'example.test,127.0.0.1' })).code, EXIT.ok);
    assert.equal((await list({ ...env, no_proxy: '*' })).code, EXIT.ok);
    assert.deepEqual(proxy.seen, []);
    assert.equal((await list(env)).code, EXIT.ok);
    assert.equal(proxy.seen.length, 1);
  });

  it('is named in the hint when nothing could be sent through it', async () => {
    proxy.isClosed = true;
    const write = ['post', '--title', 't', '--body', 'b'];
    const key = join(directory, 'named.json');
    await runCommand(['keygen'], { env: { FORUM_KEY: key } });
    for (const named of [proxy.url, 'http://127.0.0.1:9']) {
      const env = { FORUM_URL: SECURE, FORUM_KEY: key, HTTPS_PROXY: named };
      const { code, answer } = await runForJson(write, { env });
      assert.deepEqual([code, answer.error, answer.nonce], [EXIT.network, 'network', undefined], answer.message);
      assert.match(answer.message, /^nothing was sent: /);
      assert.match(answer.hint, /HTTPS_PROXY or HTTP_PROXY names: is it running\? NO_PROXY/);
    }
  });

  it('is refused before anything is sent where it is no address of an HTTP proxy', async () => {
    const { code, answer } = await list({ FORUM_URL: PLAIN, HTTP_PROXY: 'ftp://user:secret@proxy.test' });
    assert.equal(code, EXIT.usage);
    assert.equal(answer.message, 'HTTP_PROXY: the address of an HTTP proxy, such as http://proxy.example:3128');
  });

  it('carries what programs send, signed as without it', async () => {
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = proxy.url;
    try {
      const keys = generateAgentKeys();
      await new ForumClient({ baseUrl: PLAIN, keys }).createPost({ title: 't', body: 'é' });
      assert.equal(forum.last.body.toString(), '{"title":"t","body":"é"}');
      assert.ok(forum.last.headers['x-svc-signature']);
      const sign = signingFetch({ baseUrl: PLAIN, keys });
      const response = await sign('/v1/posts', { method: 'POST', body: '{"title":"u"}' });
      assert.deepEqual(await response.json(), { items: [] });
      assert.equal(proxy.seen.length, 2);
    } finally {
      if (before === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = before;
    }
  });
});
