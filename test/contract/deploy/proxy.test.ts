import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseFreePort } from '../../../src/tools/dev/ports.ts';
import { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';
import { runTool, skipWithout } from './support/deployment.ts';

/**
 * The example as it is, but for certificate, names and ports: instead of TLS on 443 it listens on a port of loopback.
 */
async function exampleFor(port: number, upstreams: readonly string[], log: string): Promise<string> {
  const example = (await readFile('deploy/proxy/nginx.conf', 'utf8')).replace('/var/log/nginx/forum.log', log);
  const [format] = /^log_format .*;$/m.exec(example)!;
  const [served] = /^server \{\n {4}listen 443.*?^\}/ms.exec(example)!;
  const limits = [...example.matchAll(/^(?:map [^\n]*\{\n[^}]*(?:\{[^}]*\}[^}]*)*^\}|limit_\w+_zone .*)$/gm)].map(
    ([limit]) => limit,
  );
  const [pool] = /^upstream forum \{.*?^\}/ms.exec(example)!;
  const plain = served
    .replaceAll(/^ {4}(?:ssl_|listen \[).*\n/gm, '')
    .replace(/listen 443[^;]*/, `listen 127.0.0.1:${port}`);
  const servers = upstreams.map((upstream) => `server ${upstream}$1`).join(' ');
  return `${format}\n${limits.join('\n')}\n${pool.replace(/server 127\.0\.0\.1:8080(.*;)/, servers)}\n${plain}`;
}

/** In place of an API: takes a request and ends before it has answered. */
async function startEnding(port: number, seen: string[]): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      seen.push(head.toString('latin1').split(' ')[0]!);
      socket.destroy();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('the forum behind the example of nginx', () => {
  let directory: string;
  let forum: TestForum;
  let nginx: ChildProcess | undefined;
  let url: string;
  /** Of a second API, which nobody has started. */
  let otherPort: number;

  before(async function () {
    const program = await runTool('nginx', { probe: ['-v'], args: ['-v'] });
    if (program === undefined) return skipWithout(this, 'nginx');
    directory = await mkdtemp(join(tmpdir(), 'forum-nginx-'));
    forum = await startForum({ env: { TRUST_PROXY: 'true', LIMIT_REGISTRATIONS_PER_ADDRESS: '3' } });
    const port = await chooseFreePort([]);
    url = `http://127.0.0.1:${port}`;
    do otherPort = await chooseFreePort([]);
    while (otherPort === port);
    const apis = [new URL(forum.url).host, `127.0.0.1:${otherPort}`];
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    for (const folder of folders) await mkdir(join(directory, folder));
    const main = [
      // Its processes may use the directory of the test, which is the caller's alone.
      process.getuid?.() === 0 ? 'user root;' : '',
      `daemon off; pid ${directory}/pid; error_log ${directory}/error.log; events {}`,
      // With this header a test has any address.
      'http { set_real_ip_from 127.0.0.1; real_ip_header X-Test-Address;',
      `access_log off; ${folders.map((folder) => `${folder}_temp_path ${directory}/${folder};`).join(' ')}`,
      await exampleFor(port, apis, join(directory, 'forum.log')),
      '}',
    ];
    const file = join(directory, 'nginx.conf');
    await writeFile(file, main.join('\n'));
    nginx = spawn('nginx', ['-e', join(directory, 'error.log'), '-p', directory, '-c', file], { stdio: 'ignore' });
    await eventually(async () => (await fetch(`${url}/health`).catch(() => undefined))?.status === 200);
  });
  after(async () => {
    if (nginx?.exitCode === null) {
      nginx.kill('SIGQUIT');
      await once(nginx, 'exit');
    }
    await forum?.stop();
    if (directory) await rm(directory, { recursive: true });
  });

  it('has its signatures accepted: path, query and body arrive as they were sent', async () => {
    const ada = await new TestAgent(url, () => forum.api.clock.now()).register('ada-behind-nginx');
    const written = await ada.post('/v1/posts', { title: 'Behind  a proxy', body: 'ä \\u00e4 //  "quoted"' });
    assert.equal(written.status, 201, JSON.stringify(written.body));
    for (const query of ['limit=3', 'limit=3&author=ada-behind-nginx', 'author=%61da%2Dbehind-nginx&limit=3']) {
      const { status, body, headers } = await ada.get('/v1/posts', query);
      assert.deepEqual([status, body.items.length], [200, 1], query);
      assert.equal(headers.get('x-svc-auth'), null, query);
    }
    assert.equal((await ada.get('/v1/karma')).status, 200);
    const big = await ada.post('/v1/posts', { title: 'T', body: 'x'.repeat(600_000) });
    assert.deepEqual([big.status, big.body.error], [400, 'too_large']);
  });

  it('logs the address of a request with the id that the forum logs, and neither its path nor its query', async () => {
    const { headers } = await fetch(`${url}/v1/posts?author=marker`);
    const id = headers.get('x-request-id');
    await eventually(async () => {
      const log = await readFile(join(directory, 'forum.log'), 'utf8');
      assert.ok(!log.includes('marker'));
      const line = log.split('\n').find((each) => each.endsWith(` ${id}`));
      return /^127\.0\.0\.1 \S+ GET 200 \d/.test(line ?? '');
    });
  });

  it('has callers notice nothing of an API that is away, however often it was found so', async () => {
    const ada = await new TestAgent(url, () => forum.api.clock.now()).register('ada-meanwhile');
    for (let count = 0; count < 6; count++) {
      assert.equal((await fetch(`${url}/health`)).status, 200);
      assert.equal((await ada.post('/v1/posts', { title: 'T', body: `${count}` })).status, 201);
    }
  });

  it('counts registrations by the caller’s address, whatever the caller claims', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) {
      const nobody = new TestAgent(url, () => forum.api.clock.now());
      const response = await fetch(`${url}/v1/agents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${count}` },
        body: JSON.stringify(nobody.registration(`claims-${count}`)),
      });
      statuses.push(response.status);
    }
    assert.equal(statuses.at(-1), 429);
  });

  it('refuses searches of one address beyond 5 a second and a burst of 20, and no other reads', async () => {
    const paths = ['/v1/search?q=word', '/search?q=word', '/search.md?q=word'];
    const answers = await Promise.all(Array.from({ length: 120 }, (_, n) => fetch(`${url}${paths[n % paths.length]}`)));
    const refused = answers.filter(({ status }) => status === 429);
    for (const path of paths)
      assert.ok(
        refused.some((answer) => answer.url === `${url}${path}`),
        path,
      );
    assert.ok(answers.some(({ status }) => status === 200));
    const [first] = refused;
    assert.deepEqual(await first!.json(), { error: 'rate_limited' });
    assert.equal(first!.headers.get('retry-after'), '1');
    assert.equal(first!.headers.get('content-type'), 'application/json');
    assert.equal((await fetch(`${url}/v1/posts`)).status, 200);
  });

  it('counts a /64 network of IPv6 as one address, however its addresses are written', async () => {
    const search = async (address: string) =>
      (await fetch(`${url}/v1/search?q=word`, { headers: { 'x-test-address': address } })).status;
    const from = (addresses: readonly string[]) =>
      Promise.all(Array.from({ length: 60 }, (_, n) => search(addresses[n % addresses.length]!)));
    const statuses = await from(['2001:db8:1::5', '2001:db8:1:0:5:6:7:8', '2001:db8:1:0:ffff::']);
    assert.ok(statuses.filter((status) => status === 429).length >= 5, statuses.join());
    assert.equal(await search('2001:db8:1:1::5'), 200);
  });

  it('refuses requests of one address beyond 64 at a time', async () => {
    const { hostname, port } = new URL(url);
    const heads: string[] = [];
    const sockets = Array.from({ length: 70 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.once('data', (head) => heads.push(head.toString('latin1')));
      socket.write('POST /v1/posts HTTP/1.1\r\nHost: forum\r\nContent-Length: 2\r\n\r\n');
      return socket;
    });
    try {
      await eventually(async () => heads.length === 70 - 64);
      for (const head of heads) assert.match(head, /^HTTP\/1\.1 429 /);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('asks another API for a GET that one leaves unanswered, and sends no POST twice', async () => {
    const seen: string[] = [];
    const ending = await startEnding(otherPort, seen);
    try {
      for (let count = 0; count < 4; count++) assert.equal((await fetch(`${url}/health`)).status, 200);
      assert.ok(seen.includes('GET'), seen.join());
      const statuses: number[] = [];
      for (let count = 0; count < 4; count++) {
        statuses.push((await fetch(`${url}/v1/posts`, { method: 'POST', body: '{}' })).status);
      }
      assert.equal(statuses.filter((status) => status === 502).length, seen.filter((each) => each === 'POST').length);
      assert.ok(statuses.includes(502), statuses.join());
    } finally {
      ending.close();
    }
  });

  it('refuses requests of one address beyond 50 a second and a burst of 200', async () => {
    const statuses = new Set<number>();
    for (let count = 0; count < 400 && !statuses.has(429); count++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/health`)));
      for (const { status } of answers) statuses.add(status);
    }
    assert.deepEqual([...statuses].toSorted(), [200, 429]);
  });
});
