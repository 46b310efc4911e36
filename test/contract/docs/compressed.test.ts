import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startForum, type TestForum } from '../../support/forum.ts';

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As they were sent. */
  readonly bytes: Buffer;
}

const LARGE = [
  '/docs',
  '/llms.txt',
  '/llms-full.txt',
  '/openapi.json',
  '/routes.json',
  '/mcp/tools',
  '/schemas/challenge.json',
  '/docs/signing.md',
  '/docs/signing',
  '/docs/operations/post.create.md',
  '/docs/programs/forum.py',
  '/skill.md',
];
const SMALL = [
  '/',
  '/.well-known/mcp.json',
  '/.well-known/agent-skills/index.json',
  '/.well-known/mcp/server.json',
  '/mcp/server-card',
  '/.well-known/ai-catalog.json',
];
const DECODE = { br: brotliDecompressSync, gzip: gunzipSync } as const;

/** At the root people are shown a page, and a page of the documentation is Markdown to who asks for that. */
function varyOf(path: string): string | undefined {
  const isPage = /^\/docs(?:\/\w+)?$/.test(path);
  if (LARGE.includes(path)) return isPage ? 'accept-encoding, accept' : 'accept-encoding';
  return path === '/' ? 'accept' : undefined;
}

describe('documents, compressed and with validators', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> =>
    new Promise((resolve, reject) => {
      const asked = request(`${forum.url}${path}`, { method, headers }, (response) => {
        const { statusCode = 0 } = response;
        buffer(response).then((bytes) => resolve({ status: statusCode, headers: response.headers, bytes }), reject);
      });
      asked.once('error', reject).end();
    });

  it('come as they are to who does not say that it can do otherwise', async () => {
    for (const path of [...LARGE, ...SMALL]) {
      for (const headers of [{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'br;q=0, gzip;q=0, zstd' }]) {
        const answer = await get(path, headers as Record<string, string>);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers['content-encoding'], undefined, path);
        assert.equal(answer.headers['content-length'], String(answer.bytes.length));
        assert.match(answer.headers.etag!, /^"[\w-]{22}"$/);
        assert.equal(answer.headers['cache-control'], 'no-cache');
        assert.equal(answer.headers.vary, varyOf(path), path);
      }
    }
  });

  it('come compressed to who takes that, the same text with a tag of its own', async () => {
    for (const path of LARGE) {
      const plain = await get(path);
      const tags = new Set([plain.headers.etag]);
      for (const coding of ['br', 'gzip'] as const) {
        const answer = await get(path, { 'accept-encoding': coding });
        assert.equal(answer.headers['content-encoding'], coding, path);
        assert.equal(answer.headers['content-length'], String(answer.bytes.length));
        assert.equal(answer.headers['content-type'], plain.headers['content-type']);
        assert.equal(answer.headers.vary, varyOf(path), path);
        assert.ok(answer.bytes.length * 2 < plain.bytes.length, `${path}: ${answer.bytes.length}`);
        assert.ok(DECODE[coding](answer.bytes).equals(plain.bytes), path);
        tags.add(answer.headers.etag);
      }
      assert.equal(tags.size, 3, path);
    }
    for (const path of SMALL) {
      assert.equal((await get(path, { 'accept-encoding': 'br, gzip' })).headers['content-encoding'], undefined, path);
    }
  });

  it('are not sent again to who has them', async () => {
    for (const path of [...LARGE, ...SMALL]) {
      for (const coding of ['identity', 'gzip', 'br']) {
        const accept = { 'accept-encoding': coding };
        const { headers } = await get(path, accept);
        const { etag = '' } = headers;
        for (const known of [etag, `W/${etag}`, `"other", W/"another" ,${etag}`, '*', ' * ']) {
          for (const method of ['GET', 'HEAD']) {
            const answer = await get(path, { ...accept, 'if-none-match': known }, method);
            assert.equal(answer.status, 304, `${method} ${path} ${known}`);
            assert.equal(answer.bytes.length, 0);
            assert.deepEqual(
              [
                answer.headers.etag,
                answer.headers.vary,
                answer.headers['content-type'],
                answer.headers['content-length'],
              ],
              [etag, headers.vary, undefined, undefined],
            );
          }
        }
        for (const unknown of ['"other"', etag.slice(1, -1), `"${etag.slice(1, 9)}"`, '"*"', '']) {
          assert.equal((await get(path, { ...accept, 'if-none-match': unknown })).status, 200, unknown);
        }
      }
      const { etag = '' } = (await get(path)).headers;
      const other = await get(path, { 'accept-encoding': 'gzip', 'if-none-match': etag });
      assert.equal(other.status, LARGE.includes(path) ? 200 : 304, 'the tag of another coding is that of other bytes');
    }
  });

  it('have the same headers for HEAD, without the bytes', async () => {
    for (const path of [...LARGE, ...SMALL]) {
      for (const coding of ['identity', 'br']) {
        const [whole, head] = [
          await get(path, { 'accept-encoding': coding }),
          await get(path, { 'accept-encoding': coding }, 'HEAD'),
        ];
        assert.equal(head.bytes.length, 0);
        const own = ({ date: _date, 'x-request-id': _id, ...rest }: IncomingHttpHeaders) => rest;
        assert.deepEqual([head.status, own(head.headers)], [200, own(whole.headers)], path);
      }
    }
  });

  it('are compressed once, however many ask at the same time', async () => {
    const accept = { 'accept-encoding': 'gzip, deflate, br' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => get('/docs', accept)));
    for (const { bytes } of answers) assert.ok(bytes.equals(answers[0]!.bytes));
  });

  it('a query of routes.json gets no ETag and no compression', async () => {
    const answer = await get('/routes.json?method=GET&path=/v1/posts', {
      'accept-encoding': 'br',
      'if-none-match': '*',
    });
    assert.deepEqual(
      [answer.status, answer.headers.etag, answer.headers['content-encoding']],
      [200, undefined, undefined],
    );
    assert.equal(JSON.parse(answer.bytes.toString()).matched, true);
  });

  it('have the coding of the greatest weight, and brotli where none is given', async () => {
    const codings = {
      '*': 'br',
      'br, gzip, deflate': 'br',
      'gzip, deflate, br, zstd': 'br',
      'gzip, deflate': 'gzip',
      GZIP: 'gzip',
      'gzip;q=1.0, br;q=0.5': 'gzip',
      'br ; q=0.4 , gzip ; q=0.8': 'gzip',
      'br;q=0, *': 'gzip',
      'identity, gzip;q=0.5': undefined,
      '*;q=0': undefined,
      'identity;q=0': undefined,
      ', ,br,': 'br',
      deflate: undefined,
    };
    for (const [accepted, coding] of Object.entries(codings)) {
      const { headers } = await get('/docs', { 'accept-encoding': accepted });
      assert.equal(headers['content-encoding'], coding, accepted);
    }
  });
});
