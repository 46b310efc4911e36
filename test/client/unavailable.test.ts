import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { EXIT } from '../../src/client/commandLine.ts';
import {
  type BeforeWrite,
  ForumClient,
  ForumError,
  generateAgentKeys,
  runBridge,
  writeKeyFile,
} from '../../src/client/index.ts';
import { RecordingServer, sendJson } from './support/forum.ts';
import { runForJson } from './support/runCommand.ts';

const RECEIPT = { post: { postId: 'p_1' } };
const POST = { title: 't', body: 'b' };

describe('a write that is answered with 503', function () {
  this.timeout(30_000);
  const forum = new RecordingServer();
  const keys = generateAgentKeys();
  let directory: string;
  let key: string;
  before(async () => {
    await forum.start();
    directory = await mkdtemp(join(tmpdir(), 'forum-unavailable-'));
    key = join(directory, 'key.json');
    await writeKeyFile(key, keys);
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });
  beforeEach(() => forum.reset());

  const client = (more: object = {}) => new ForumClient({ baseUrl: forum.origin, keys, ...more });
  const nonces = (method: string) =>
    forum.received.filter((each) => each.method === method).map(({ headers }) => headers['x-svc-nonce']);

  /** Answers each POST with the next of these outcomes, then accepts; `stored` is what is found by the nonce. */
  function script(outcomes: (string | undefined)[], stored: (() => unknown) | undefined = undefined): void {
    const left = [...outcomes];
    forum.answer = ({ method, path }, response) => {
      if (method === 'GET' && path.startsWith('/v1/writes/')) {
        const receipt = stored?.();
        if (receipt === undefined) return sendJson(response, 404, { error: 'not_found' });
        return sendJson(response, 200, { status: 201, receipt, createdAt: '2026-01-01T00:00:00Z' });
      }
      if (left.length === 0) return sendJson(response, 201, RECEIPT);
      const outcome = left.shift();
      sendJson(
        response,
        503,
        { error: 'unavailable' },
        {
          'retry-after': '1',
          ...(outcome === undefined ? {} : { 'x-svc-outcome': outcome }),
        },
      );
    };
  }

  it('is sent again under a new nonce if it was not stored', async () => {
    script(['none']);
    assert.deepEqual(await client().createPost(POST), RECEIPT);
    assert.equal(new Set(nonces('POST')).size, 2);
    assert.deepEqual(nonces('GET'), []);
  });

  it('reports each attempt before it is sent', async () => {
    script(['none']);
    const reported: [string, string, number][] = [];
    const beforeWrite: BeforeWrite = async ({ nonce }, path) => {
      await setImmediate();
      reported.push([nonce, path, nonces('POST').length]);
    };
    await client({ beforeWrite }).createPost(POST);
    const [first, second] = nonces('POST');
    assert.deepEqual(reported, [
      [first, '/v1/posts', 0],
      [second, '/v1/posts', 1],
    ]);
  });

  it('is not sent if the report of its attempt fails', async () => {
    const beforeWrite = () => Promise.reject(new Error('the disk is full'));
    await assert.rejects(client({ beforeWrite }).createPost(POST), /the disk is full/);
    await client({ beforeWrite }).operation('karma.read');
    assert.deepEqual(nonces('POST'), []);
  });

  it('is sent four times at most, and reported as not stored', async () => {
    script(['none', 'none', 'none', 'none']);
    const refused = await client()
      .createPost(POST)
      .catch((error: unknown) => error as ForumError);
    assert.ok(refused instanceof ForumError);
    assert.deepEqual([refused.token, refused.outcome, nonces('POST').length], ['unavailable', 'none', 4]);
  });

  it('is not sent again when the time is up', async () => {
    script(['none']);
    await assert.rejects(client({ timeoutMs: 500 }).createPost(POST), { outcome: 'none' });
    assert.equal(nonces('POST').length, 1);
  });

  it('is asked for by its nonce when the outcome is unknown, until its receipt is there', async () => {
    let asked = 0;
    script(['unknown'], () => (++asked > 1 ? RECEIPT : undefined));
    const { status, body, attempt } = await client().requestOperation('post.create', POST);
    assert.deepEqual([status, body], [201, RECEIPT]);
    const [nonce, ...again] = nonces('POST');
    assert.deepEqual([attempt?.nonce, again], [nonce, []]);
    assert.equal(forum.last.path, `/v1/writes/${nonce}`);
  });

  it('is never sent again when the outcome stays unknown', async () => {
    script(['unknown']);
    const refused = client({ timeoutMs: 1_500 }).createPost(POST);
    await assert.rejects(refused, (error: ForumError) => {
      assert.equal(error.outcome, 'unknown');
      assert.equal(error.attempt?.nonce, nonces('POST')[0]);
      return true;
    });
    assert.deepEqual([nonces('POST').length, nonces('GET').length], [1, 1]);
  });

  it('is reported as it is by a forum that does not name the outcome', async () => {
    script([undefined]);
    await assert.rejects(client().createPost(POST), { token: 'unavailable', outcome: undefined });
    assert.equal(forum.received.length, 1);
  });

  it('is settled for a tool as well', async () => {
    const result = { content: [{ type: 'text', text: '{"error":"unavailable"}' }], isError: true };
    forum.answer = ({ path }, response) => {
      if (path !== '/mcp') return sendJson(response, 200, { status: 201, receipt: RECEIPT, createdAt: '' });
      sendJson(response, 200, { jsonrpc: '2.0', id: 1, result }, { 'x-svc-outcome': 'unknown' });
    };
    assert.deepEqual(await client().callTool('create_post', POST), RECEIPT);
    assert.equal(nonces('POST').length, 1);
  });

  it('is settled by the command line, which gives up with the nonce when it is interrupted', async () => {
    const env = { FORUM_URL: forum.origin, FORUM_KEY: key };
    const argv = ['post', '--title', 't', '--body', 'b'];
    script(['unknown'], () => RECEIPT);
    assert.deepEqual(await runForJson(argv, { env }), { code: EXIT.ok, answer: RECEIPT });
    script(['unknown']);
    const { code, answer } = await runForJson([...argv, '--timeout', '1'], { env });
    assert.deepEqual([code, answer.error, answer.outcome], [EXIT.fault, 'unavailable', 'unknown']);
    assert.ok(answer.hint.endsWith(`forum reconcile --timestamp ${answer.timestamp} -- ${answer.nonce}`));
    const controller = new AbortController();
    script(['unknown']);
    const startedAt = performance.now();
    const given = runForJson(argv, { env, interrupted: controller.signal });
    const { answer: answerOfPost } = forum;
    forum.answer = (received, response) => {
      answerOfPost(received, response);
      setTimeout(() => controller.abort(), 100);
    };
    const interrupted = await given;
    assert.ok(performance.now() - startedAt < 900);
    assert.deepEqual([interrupted.code, interrupted.answer.outcome], [EXIT.fault, 'unknown']);
    assert.ok(interrupted.answer.nonce);
    script(['none', 'none', 'none', 'none']);
    const none = (await runForJson([...argv, '--timeout', '1'], { env })).answer;
    assert.deepEqual([none.outcome, none.hint], ['none', 'nothing was stored: send it again later']);
  });

  it('tells the model of a bridge its nonce and what to do, where the forum answered in no result of a tool', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_post', arguments: POST } };
    for (const [outcome, hint] of [
      ['unknown', /The write may still be stored\. Before you send it again, call `get_write` with nonce [\w-]{22}\./],
      ['none', /^The service stored nothing and will store nothing\./],
    ] as const) {
      forum.answer = (_request, response) =>
        sendJson(response, 503, { error: 'unavailable' }, { 'x-svc-outcome': outcome });
      const lines: string[] = [];
      const input = Readable.from([Buffer.from(`${JSON.stringify(call)}\n`)]);
      await runBridge(client(), { input, log: () => {}, writeLine: (line) => lines.push(line) });
      const told = JSON.parse(JSON.parse(lines[0]!).result.content[0].text);
      assert.match(told.hint, hint);
      assert.equal(told.nonce, forum.last.headers['x-svc-nonce']);
    }
  });
});
