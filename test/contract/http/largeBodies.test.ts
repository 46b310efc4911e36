import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { maxBodyBytesOf } from '../../../src/operation/schemas.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { PYTHON } from '../../support/python.ts';
import { together } from '../../support/together.ts';
import { eventually, scaleWait } from '../../support/waits.ts';
import { rawExchange } from '../support/raw.ts';

const TRIES = 5;
const SIZES = [600_000, 5_000_000, 20_000_000];
const TOO_LARGE = '{"error":"too_large","maxBytes":524288}';
const INVALID = '{"error":"invalid_request"}';
const UNAUTHORIZED = '{"error":"unauthorized"}';
const NOT_FOUND = '{"error":"not_found"}';
const NOT_ALLOWED = '{"error":"method_not_allowed"}';

const REGISTRATION_BYTES = maxBodyBytesOf(OPERATIONS.find(({ name }) => name === 'agent.register')!);

const run = promisify(execFile);

/** Sends a file as the body of `tries` POSTs, one after another, and returns the response bodies. */
type Post = (target: { url: string; file: string; tries: number }, ...more: string[]) => Promise<string[]>;

const NODE_HTTP = `
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
const [url, path, tries, chunked] = process.argv.slice(1);
const body = readFileSync(path);
for (let n = 0; n < Number(tries); n++) {
  const answer = await new Promise((resolve, reject) => {
    const headers = chunked ? {} : { 'content-length': body.length };
    request(url, { method: 'POST', headers }, resolve).on('error', reject).end(body);
  });
  console.log(await text(answer));
}
`;
const NODE_FETCH = `
import { readFileSync } from 'node:fs';
const [url, path, tries] = process.argv.slice(1);
const body = readFileSync(path);
for (let n = 0; n < Number(tries); n++) console.log(await (await fetch(url, { method: 'POST', body })).text());
`;
const PYTHON_HTTP = `
import sys, http.client, urllib.parse
url, path, tries = sys.argv[1:]
at, body = urllib.parse.urlsplit(url), open(path, 'rb').read()
for _ in range(int(tries)):
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=20)
    connection.request('POST', at.path, body, {'Content-Type': 'application/json'})
    print(connection.getresponse().read().decode())
`;
const PYTHON_URLLIB = `
import sys, urllib.request, urllib.error
url, path, tries = sys.argv[1:]
body = open(path, 'rb').read()
for _ in range(int(tries)):
    try:
        urllib.request.urlopen(urllib.request.Request(url, body, {'Content-Type': 'application/json'}), timeout=20)
    except urllib.error.HTTPError as error:
        print(error.read().decode())
`;

/** Processes of their own, as a client in ours would write only while the server does not run. */
const CLIENTS: Readonly<Record<string, { program: string; post: Post }>> = {
  "Node's http": { program: process.execPath, post: byScript(process.execPath, ...module(NODE_HTTP)) },
  "Node's http, chunked": {
    program: process.execPath,
    post: (target) => byScript(process.execPath, ...module(NODE_HTTP))(target, 'chunked'),
  },
  "Node's fetch": { program: process.execPath, post: byScript(process.execPath, ...module(NODE_FETCH)) },
  curl: { program: 'curl', post: byCurl() },
  'curl without Expect': { program: 'curl', post: byCurl('-H', 'Expect:') },
  "Python's http.client": { program: PYTHON, post: byScript(PYTHON, '-c', PYTHON_HTTP) },
  "Python's urllib": { program: PYTHON, post: byScript(PYTHON, '-c', PYTHON_URLLIB) },
};

function module(script: string): string[] {
  return ['--input-type=module', '-e', script];
}

function byScript(program: string, ...start: string[]): Post {
  return async ({ url, file, tries }, ...more) =>
    (await run(program, [...start, url, file, String(tries), ...more])).stdout.trimEnd().split('\n');
}

function byCurl(...options: string[]): Post {
  return async ({ url, file, tries }) => {
    const answers: string[] = [];
    for (let n = 0; n < tries; n++) {
      answers.push((await run('curl', ['-sS', '-m', '20', ...options, '--data-binary', `@${file}`, url])).stdout);
    }
    return answers;
  };
}

const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('large bodies', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let folder: string;
  const fileOf = (size: number): string => join(folder, String(size));
  before(async () => {
    forum = await startForum();
    folder = await mkdtemp(join(tmpdir(), 'forum-bodies-'));
    for (const size of SIZES) await writeFile(fileOf(size), Buffer.alloc(size));
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await forum.stop();
  });

  for (const [name, { program, post }] of Object.entries(CLIENTS)) {
    it(`${name} reads too_large, ${TRIES} times of ${TRIES}, whatever the size`, async function () {
      if (!isThere(program)) {
        console.log(`        ${program} is not on this machine`);
        return this.skip();
      }
      for (const size of SIZES) {
        const answers = await post({ url: `${forum.url}/mcp`, file: fileOf(size), tries: TRIES });
        assert.deepEqual(answers, Array(TRIES).fill(TOO_LARGE), `${size} bytes`);
      }
    });
  }

  it('curl reads what else is refused before the body', async function () {
    const { program, post } = CLIENTS.curl!;
    if (!isThere(program)) return this.skip();
    const one = (path: string) => post({ url: forum.url + path, file: fileOf(5_000_000), tries: 1 });
    assert.deepEqual(await one('/nothing'), [NOT_FOUND]);
    assert.deepEqual(await one('/v1/pulse'), [NOT_ALLOWED]);
    assert.deepEqual(await one('/v1/posts'), [UNAUTHORIZED]);
  });

  const head = (path: string, headers: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`;

  it('answers before the body is there, and closes', async () => {
    const startedAt = performance.now();
    const { status, body, headers } = await rawExchange(
      forum.url,
      `${head('/mcp', 'Content-Length: 5000000')}half of it`,
    );
    assert.deepEqual([status, body, headers.get('connection')], [400, TOO_LARGE, 'close']);
    assert.ok(performance.now() - startedAt < scaleWait(2_000));
  });

  describe('Expect: 100-continue', () => {
    const refused: Record<string, [path: string, headers: string, body: string]> = {
      'a length above the bound': ['/mcp', 'Content-Length: 524289', TOO_LARGE],
      'a length above the bound of the operation': [
        '/v1/agents',
        `Content-Length: ${REGISTRATION_BYTES + 1}`,
        `{"error":"too_large","maxBytes":${REGISTRATION_BYTES}}`,
      ],
      'no signature': ['/v1/posts', 'Content-Length: 10', UNAUTHORIZED],
      'an encoded body': ['/mcp', 'Content-Encoding: gzip\r\nContent-Length: 10', INVALID],
      'no route': ['/nothing', 'Content-Length: 10', NOT_FOUND],
      'another method': ['/v1/pulse', 'Content-Length: 10', NOT_ALLOWED],
      'two hosts': ['/v1/posts', 'Host: b\r\nContent-Length: 10', INVALID],
    };
    for (const [what, [path, headers, body]] of Object.entries(refused)) {
      it(`${what}: the answer comes instead of 100 Continue`, async () => {
        const answer = await rawExchange(forum.url, head(path, `Expect: 100-continue\r\n${headers}`));
        assert.equal(answer.body, body);
        assert.ok(answer.status >= 400);
        assert.equal(answer.headers.get('connection'), 'close');
      });
    }

    it('a body that is read gets 100 Continue, and the connection stays open', async () => {
      const { hostname, port } = new URL(forum.url);
      const socket = connect(Number(port), hostname);
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      const seen = async (what: string) => {
        await eventually(() => received.includes(what), 5_000, what);
      };
      for (const attempt of [1, 2]) {
        received = '';
        const type = 'Content-Type: application/json';
        socket.write(head('/v1/agents', `Expect: 100-Continue\r\nContent-Length: 2\r\n${type}`));
        await seen('HTTP/1.1 100 Continue\r\n\r\n');
        assert.ok(!received.includes('HTTP/1.1 400'), `invited before it is judged, attempt ${attempt}`);
        socket.write('{}');
        await seen('HTTP/1.1 400');
        await seen('{"error":"invalid_request"');
      }
      socket.destroy();
    });
  });

  /** How the server closed, and how many bytes it took, from a client that never stops writing. */
  async function pour(bytesASecond: number): Promise<{ taken: number; seconds: number }> {
    const { hostname, port } = new URL(forum.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const startedAt = performance.now();
    socket.on('error', () => {});
    socket.resume();
    const closed = once(socket, 'close');
    socket.write(head('/v1/posts', 'Content-Length: 1000000000'));
    const chunk = Buffer.alloc(65_536);
    let taken = 0;
    while (!socket.destroyed && taken < 200_000_000) {
      const written = new Promise((resolve) => socket.write(chunk, resolve));
      await Promise.race([written, closed]);
      taken += chunk.length;
      const dueMs = (taken / bytesASecond) * 1_000;
      await sleep(Math.max(0, dueMs - (performance.now() - startedAt)));
    }
    socket.destroy();
    return { taken, seconds: (performance.now() - startedAt) / 1_000 };
  }

  it('what is thrown away is bounded in bytes', async () => {
    const { taken, seconds } = await pour(Number.POSITIVE_INFINITY);
    console.log(`        ${(taken / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s`);
    // The rest is what the system had buffered.
    assert.ok(taken > 30_000_000 && taken < 60_000_000, `${taken}`);
    assert.ok(seconds < 10);
  });

  together({
    'what is thrown away is bounded in time': async () => {
      const { seconds } = await pour(500_000);
      assert.ok(seconds > 8 && seconds < 14, `${seconds}`);
    },
  });
});
