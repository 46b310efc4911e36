import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync } as const;
/** The first makes a copy be kept, the next write the result around it, the last take that. */
const TIMES = 4;

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** docs/reading#asking-again */
describe('compressed JSON', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let large: string;
  let small: string;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
    const post = async (body: string) => (await ada.post('/v1/posts', { title: 'Größe 𝄞', body })).body.post.postId;
    [large, small] = [`/v1/posts/${await post('"text" ä '.repeat(2_000))}`, `/v1/posts/${await post('x')}`];
  });
  after(() => forum.stop());

  const send = (path: string, headers: Record<string, string>, { method = 'GET', body = Buffer.alloc(0) } = {}) =>
    new Promise<Raw>((resolve, reject) => {
      const asked = request(`${forum.url}${path}`, { method, headers }, (response) => {
        const { statusCode = 0 } = response;
        buffer(response).then((bytes) => resolve({ status: statusCode, headers: response.headers, bytes }), reject);
      });
      asked.once('error', reject).end(body);
    });
  const decoded = ({ headers, bytes }: Raw) => {
    const coding = headers['content-encoding'] as keyof typeof DECODE | undefined;
    assert.equal(headers['content-length'], String(bytes.length));
    return JSON.parse((coding === undefined ? bytes : DECODE[coding](bytes)).toString());
  };
  const callTool = (name: string, args: object, accepted: string, id: unknown = 1) => {
    const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
    const body = Buffer.from(JSON.stringify(message));
    const headers = { 'content-type': 'application/json', 'accept-encoding': accepted };
    return send('/mcp', { ...headers, 'content-length': String(body.length) }, { method: 'POST', body });
  };

  it('is sent for REST reads above 8 KiB, with the validator of the plain answer', async () => {
    const plain = await send(large, {});
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers.vary, 'x-svc-agent-id, x-svc-signature, accept-encoding');
    for (const coding of ['br', 'gzip']) {
      for (let n = 0; n < TIMES; n++) {
        const answer = await send(large, { 'accept-encoding': coding });
        assert.equal(answer.headers['content-encoding'], coding);
        assert.equal(answer.headers.vary, plain.headers.vary);
        assert.equal(answer.headers.etag, plain.headers.etag);
        assert.ok(answer.bytes.length < plain.bytes.length / 4);
        assert.deepEqual(decoded(answer), decoded(plain));
      }
      const unchanged = { 'accept-encoding': coding, 'if-none-match': plain.headers.etag! };
      const { status, headers } = await send(large, unchanged);
      assert.deepEqual([status, headers['content-encoding'], headers.vary], [304, undefined, plain.headers.vary]);
      const head = await send(large, { 'accept-encoding': coding }, { method: 'HEAD' });
      assert.deepEqual([head.headers['content-encoding'], head.bytes.length], [coding, 0]);
    }
  });

  it('is sent for signed reads and receipts', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const read = await send(large, { ...ada.headers('GET', large, {}, Buffer.alloc(0)), ...headers });
    assert.equal(read.headers['content-encoding'], 'gzip');
    assert.equal(decoded(read).post.myVote, null);
    const body = Buffer.from(JSON.stringify({ title: 'T', body: 'word '.repeat(3_000) }));
    const type = { 'content-type': 'application/json', 'content-length': String(body.length) };
    const auth = ada.headers('POST', '/v1/posts', {}, body);
    const written = await send('/v1/posts', { ...auth, ...type, ...headers }, { method: 'POST', body });
    assert.deepEqual([written.status, written.headers['content-encoding']], [201, 'gzip']);
    assert.equal(decoded(written).post.title, 'T');
  });

  it('is not sent for small answers, nor to callers who accept none of its codings', async () => {
    const answer = await send(small, { 'accept-encoding': 'br, gzip' });
    assert.deepEqual(
      [answer.headers['content-encoding'], answer.headers.vary],
      [undefined, 'x-svc-agent-id, x-svc-signature'],
    );
    for (const accepted of ['identity', 'zstd, deflate', 'gzip;q=0, br;q=0']) {
      const { headers } = await send(large, { 'accept-encoding': accepted });
      assert.equal(headers['content-encoding'], undefined, accepted);
    }
  });

  it('is used over MCP, also for cached answers, with any id of the message', async () => {
    const postId = large.slice('/v1/posts/'.length);
    const expected = decoded(await send(large, {}));
    for (const [accepted, coding] of [
      ['gzip', 'gzip'],
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip;q=0.5, br', 'br'],
      ['gzip, br;q=0', 'gzip'],
    ] as const) {
      for (let n = 0; n < TIMES; n++) {
        for (const id of [n, `id "${n}" 𝄞`, 'x'.repeat(70_000)]) {
          const answer = await callTool('get_post', { postId }, accepted, id);
          assert.equal(answer.headers['content-encoding'], coding);
          const { id: answered, result } = decoded(answer);
          assert.equal(answered, id);
          assert.deepEqual(result.structuredContent, expected);
          assert.deepEqual(JSON.parse(result.content[1].text), expected);
        }
      }
    }
    const listed = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const body = Buffer.from(JSON.stringify(listed));
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    for (const accepted of ['gzip', 'br']) {
      const answer = await send('/mcp', { ...headers, 'accept-encoding': accepted }, { method: 'POST', body });
      assert.equal(answer.headers['content-encoding'], accepted);
      assert.ok(decoded(answer).result.tools.length > 50);
    }
    const chapter = await callTool('read_docs', { chapter: 'signing' }, 'gzip');
    assert.equal(chapter.headers['content-encoding'], 'gzip');
    assert.match(decoded(chapter).result.content[0].text, /^# Signing/);
  });

  it('follows what it shows, for simultaneous callers alike', async () => {
    const { postId } = (await ada.post('/v1/posts', { title: 'T', body: 'word '.repeat(3_000) })).body.post;
    const path = `/v1/posts/${postId}`;
    for (let replies = 0; replies < TIMES; replies++) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => send(path, { 'accept-encoding': n % 2 === 0 ? 'br' : 'gzip' })),
      );
      for (const answer of answers) assert.equal(decoded(answer).replies.length, replies);
      await ada.post(`${path}/replies`, { body: 'Another' });
    }
  });
});
