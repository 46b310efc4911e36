import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Door } from '../../src/client/bridge.ts';
import {
  type AgentKeys,
  ForumClient,
  generateAgentKeys,
  generateNextKeys,
  readKeyFile,
  runBridge,
  writeKeyFile,
} from '../../src/client/index.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { findProgram } from '../support/programs.ts';
import { hasValidSignature, RecordingServer, sendJson } from './support/forum.ts';

interface RpcAnswer {
  id: number | null;
  result?: { protocolVersion?: string; isError?: boolean; content?: { text: string }[] };
  error?: { code: number; message: string };
}

describe('the bridge', () => {
  const server = new RecordingServer();
  let keys: AgentKeys;
  before(async () => {
    keys = generateAgentKeys();
    await server.start();
  });
  afterEach(() => server.reset());
  after(() => server.stop());

  /** A bridge on streams: what is written to it, the answers so far, and its end. */
  function started({
    timeoutMs = 5_000,
    baseUrl = server.origin,
    door,
  }: {
    timeoutMs?: number;
    baseUrl?: string;
    door?: Door;
  } = {}) {
    const input = new PassThrough();
    const answers: RpcAnswer[] = [];
    const logged: string[] = [];
    const ended = runBridge(
      new ForumClient({ baseUrl, keys, timeoutMs }),
      {
        input,
        writeLine: (line) => answers.push(JSON.parse(line)),
        log: (line) => logged.push(line),
      },
      door,
    );
    const finished = async () => {
      input.end();
      await ended;
      return answers;
    };
    return { input, answers, logged, finished };
  }

  const call = (id: number, name = 'create_post') =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":{}}}`;
  const registration = (id: number) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"register_agent","arguments":{"handle":"new-one","purpose":"p"}}}\n`;
  const answerRpc = () => {
    server.answer = (request, response) => {
      const { id, method } = JSON.parse(request.body.toString());
      if (id === undefined) return void response.writeHead(202).end();
      const result = method === 'initialize' ? { protocolVersion: '2025-06-18' } : { content: [] };
      sendJson(response, 200, { jsonrpc: '2.0', id, result });
    };
  };

  it('signs the very bytes of each line, each with a nonce of its own', async () => {
    answerRpc();
    const { input, finished } = started();
    const odd = ` {"id":1,  "jsonrpc":"2.0","method":"ping","params":{"x":"\\u00e9 \u2028 é"}}\t`;
    input.write(`${odd}\n\n${call(2)}\r\n`);
    const answers = await finished();
    assert.deepEqual(answers.map(({ id }) => id).toSorted(), [1, 2]);
    assert.deepEqual(server.received.map(({ body }) => body.toString()).toSorted(), [odd, call(2)].toSorted());
    for (const request of server.received) assert.ok(hasValidSignature(request, keys.signing.publicKey));
    assert.equal(new Set(server.received.map(({ headers }) => headers['x-svc-nonce'])).size, 2);
  });

  it('sends to the given endpoint, and signs its path', async () => {
    answerRpc();
    for (const [door, path] of [
      ['all', '/mcp'],
      ['read', '/mcp/read'],
      ['core', '/mcp/core'],
    ] as const) {
      const { input, finished } = started({ door });
      input.write(call(1));
      await finished();
      const request = server.received.at(-1)!;
      assert.equal(request.path, path);
      assert.ok(hasValidSignature(request, keys.signing.publicKey));
    }
  });

  it('takes lines in whatever pieces they come, and the last one without an end', async () => {
    answerRpc();
    const { input, finished } = started();
    for (const byte of Buffer.from(`${call(1)}\n${call(2)}`)) input.write(Buffer.from([byte]));
    assert.deepEqual((await finished()).map(({ id }) => id).toSorted(), [1, 2]);
  });

  it('answers a line that is too long itself, skips it to its end, and continues', async () => {
    answerRpc();
    const { input, finished } = started();
    const long = 'x'.repeat(1_200_000);
    const nested = `{"id":99,"text":"\\"id\\":98}"}`;
    const lines = [
      call(1),
      // As the SDKs write it, and as this test does.
      `{"method":"tools/call","params":{"name":"create_post","arguments":{"body":"${long}"}},"jsonrpc":"2.0","id":2}`,
      `{"jsonrpc":"2.0","id":"three","method":"tools/call","params":{"body":"${long}${long}","more":${nested}}}`,
      // Whose identifier is not plain to see.
      `{"method":"tools/call","id":4,"params":{"body":"${long}","more":${nested}}}`,
      `{"method":"ping","params":{"body":"${long}"},"id":05}`,
      `{"method":"ping","params":{"body":"${long}"},"id":"\t"}`,
      call(5),
    ];
    input.write(`${lines.join('\r\n')}\n${long}`);
    const answers = await finished();
    const refused = answers.filter(({ error }) => error !== undefined);
    assert.deepEqual(
      refused.map(({ id }) => id),
      [2, 'three', null, null, null, null],
    );
    for (const { error } of refused) {
      assert.deepEqual(error, { code: -32_600, message: 'too_large: a message has at most 1,048,576 bytes' });
    }
    assert.deepEqual(server.received.map(({ body }) => body.toString()).toSorted(), [lines[0], lines.at(-1)]);
  });

  it('passes a line of the bound on, and of no byte more, in whatever pieces it comes', async () => {
    answerRpc();
    for (const [bytes, passed] of [
      [1_048_576, 1],
      [1_048_577, 0],
    ] as const) {
      for (const piece of [65_536, 4_000_000]) {
        server.received.length = 0;
        const { input, finished } = started();
        const line = Buffer.from(`${call(1).padEnd(bytes)}\r\n`);
        for (let at = 0; at < line.length; at += piece) input.write(line.subarray(at, at + piece));
        assert.equal((await finished()).length, 1);
        assert.equal(server.received.length, passed, `${bytes} in pieces of ${piece}`);
      }
    }
  });

  it('sends the revision that was agreed on from then on', async () => {
    answerRpc();
    const { input, answers, finished } = started();
    input.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n');
    while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve));
    input.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}\n${call(2)}\n`);
    assert.equal((await finished()).length, 2);
    assert.deepEqual(
      server.received.map(({ headers }) => headers['mcp-protocol-version']),
      [undefined, '2025-06-18', '2025-06-18'],
    );
  });

  it('tells the nonce of a call whose answer was lost, and does not send it again', async () => {
    server.answer = (_request, response) => void response.destroy();
    const { input, finished } = started();
    input.write(`${call(1)}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n`);
    const answers = await finished();
    assert.equal(server.received.length, 2);
    const lost = answers.find(({ id }) => id === 1)!.result!;
    const report = JSON.parse(lost.content![0]!.text);
    assert.equal(lost.isError, true);
    const sent = server.received.find(({ body }) => body.toString() === call(1))!;
    assert.equal(report.nonce, sent.headers['x-svc-nonce']);
    assert.match(report.hint, /get_write/);
    assert.equal(answers.find(({ id }) => id === 2)!.error!.code, -32_000);
  });

  it('passes errors of the forum on, in the form that a caller sees', async () => {
    server.answer = (_request, response) => sendJson(response, 400, { error: 'too_large', maxBytes: 524_288 });
    const { input, finished } = started();
    input.write(`${call(1)}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n`);
    const answers = await finished();
    const report = JSON.parse(answers.find(({ id }) => id === 1)!.result!.content![0]!.text);
    assert.deepEqual([report.error, report.maxBytes], ['too_large', 524_288]);
    assert.equal(report.hint, 'the request: at most 524,288 bytes');
    assert.equal(answers.find(({ id }) => id === 2)!.error!.message, 'too_large');
  });

  it('says what to do when the forum is not available, and when somebody else has answered', async () => {
    for (const [answer, hint, seconds] of [
      [{ error: 'unavailable' }, /Before you repeat a write, call `get_write` with its nonce/, 7],
      ['<html>', /get_write with this nonce/, undefined],
    ] as const) {
      server.answer = (_request, response) => sendJson(response, 503, answer, { 'retry-after': '7' });
      const { input, finished } = started();
      input.write(`${call(1)}\n`);
      const [told] = await finished();
      const report = JSON.parse(told!.result!.content![0]!.text);
      assert.equal(report.nonce, server.last.headers['x-svc-nonce']);
      assert.match(report.hint, hint);
      assert.equal(report.retryAfterSeconds, seconds);
    }
  });

  it('lives on, and tells the nonce, when somebody answers what nobody can pass on', async () => {
    const nested = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    for (const result of ['null', '7', '"x"', 'true', nested]) {
      server.answer = (_request, response) => response.end(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
      const { input, finished } = started();
      input.write(`${call(1)}\n`);
      const [told] = await finished();
      const { error, nonce } = JSON.parse(told!.result!.content![0]!.text);
      assert.deepEqual([error, nonce], ['unexpected_response', server.last.headers['x-svc-nonce']]);
    }
  });

  it('says that nothing was sent where there is no connection, and names no nonce', async () => {
    const away = new RecordingServer();
    await away.start();
    const { origin: baseUrl } = away;
    await away.stop();
    const { input, finished } = started({ baseUrl });
    input.write(`${call(1)}\n{"jsonrpc":"2.0","id":3,"method":"tools/list"}\n${registration(2)}`);
    const answers = await finished();
    for (const id of [1, 2]) {
      const { result } = answers.find((answer) => answer.id === id)!;
      const { error, message, ...more } = JSON.parse(result!.content![0]!.text);
      assert.deepEqual([result!.isError, error, more], [true, 'network', {}]);
      assert.match(message, /^nothing was sent: .*ECONNREFUSED/);
    }
    assert.match(answers.find(({ id }) => id === 3)!.error!.message, /^nothing was sent: /);
  });

  it('says how to find out whether the key is registered when the answer was lost', async () => {
    server.answer = (_request, response) => void response.destroy();
    const { input, finished } = started();
    input.write(registration(1));
    const [{ result }] = (await finished()) as [RpcAnswer];
    const { error, nonce, hint } = JSON.parse(result!.content![0]!.text);
    assert.deepEqual([result!.isError, error, nonce, server.last.path], [true, 'network', undefined, '/v1/agents']);
    assert.match(hint, /^The registration may be stored\. Call get_greeting: .*register_agent may be called again\.$/);
  });

  it('follows no redirect', async () => {
    server.answer = (_request, response) => void response.writeHead(307, { location: '/elsewhere' }).end();
    const { input, finished } = started();
    input.write(`${call(1)}\n`);
    const [answer] = await finished();
    assert.equal(answer!.result!.isError, true);
    assert.equal(server.received.length, 1);
  });

  it('answers what is no JSON itself, and notifications never', async () => {
    server.answer = (_request, response) => void response.destroy();
    const { input, logged, finished } = started();
    input.write('{"jsonrpc\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    const answers = await finished();
    assert.deepEqual(
      answers.map(({ error }) => error?.code),
      [-32_700],
    );
    assert.equal(logged.length, 1);
  });

  it('gives up a cancelled request without an answer, and tells people the nonce of a call', async () => {
    for (const [request, isTold] of [
      [call(7), true],
      ['{"jsonrpc":"2.0","id":7,"method":"tools/list"}', false],
    ] as const) {
      server.received.length = 0;
      const arrived = new Promise<void>((resolve) => {
        server.answer = () => resolve();
      });
      const { input, logged, finished } = started();
      input.write(`${request}\n`);
      await arrived;
      input.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n');
      assert.deepEqual(await finished(), []);
      assert.equal(server.received.length, 1);
      const nonce = server.last.headers['x-svc-nonce'];
      const told = `A call was cancelled, its nonce is ${nonce}. The write may be stored. Before you send it again, call get_write with this nonce to learn its outcome.`;
      assert.deepEqual(logged, isTold ? [told] : []);
    }
  });

  it('does not wait for ever', async () => {
    server.answer = () => {};
    const { input, finished } = started({ timeoutMs: 50 });
    input.write(`${call(1)}\n`);
    const [answer] = await finished();
    assert.match(answer!.result!.content![0]!.text, /no answer within 50 ms/);
  });

  describe('as a process', () => {
    let forum: TestForum;
    let directory: string;
    let keyPath: string;
    let command: string[];
    before(async () => {
      forum = await startForum();
      command = [await findProgram('src/client/cli.ts'), 'mcp'];
      directory = await mkdtemp(join(tmpdir(), 'forum-bridge-'));
      keyPath = join(directory, 'key.json');
      await writeKeyFile(keyPath, keys);
      const names = { handle: 'bridged', displayName: 'Bridged', description: '', purpose: 'testing' };
      await new ForumClient({ baseUrl: forum.url, keys }).register(names);
    });
    after(async () => {
      await forum.stop();
      await rm(directory, { recursive: true });
    });

    it('lets an MCP client that knows nothing of signatures write', async () => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      const args = [...command, '--url', forum.url, '--key', keyPath];
      await client.connect(new StdioClientTransport({ command: process.execPath, args }));
      try {
        const post = { title: 'Through the bridge', body: 'Signed on the way' };
        const { structuredContent } = await client.callTool({ name: 'create_post', arguments: post });
        const { postId } = (structuredContent as { post: { postId: string } }).post;
        const read = (await (await fetch(`${forum.url}/v1/posts/${postId}`)).json()) as {
          post: { author: { handle: string } };
        };
        assert.equal(read.post.author.handle, 'bridged');
      } finally {
        await client.close();
      }
    });

    it('tells the model that its key is not registered, and registers it when asked', async () => {
      const path = join(directory, 'new.json');
      await writeKeyFile(path, generateAgentKeys());
      for (const door of ['core', 'read', 'all'] as const) {
        const client = new Client({ name: 'test', version: '1.0.0' });
        const args = [...command, '--url', forum.url, '--key', path, '--door', door];
        await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
        try {
          assert.match(client.getInstructions() ?? '', /agent ag1-\S+\) is not registered .*, so it can only read/);
          const { tools } = await client.listTools();
          const tool = tools.find(({ name }) => name === 'register_agent');
          // With the bridge's own tool the small endpoint is within its budget.
          if (door === 'core') assert.ok(JSON.stringify({ tools }).length <= 12_000);
          assert.deepEqual(tool?.inputSchema.required, door === 'read' ? undefined : ['handle', 'purpose']);
          if (door === 'read') {
            assert.match(client.getInstructions() ?? '', /forum register/);
            continue;
          }
          const call = async (name: string, given: object) => {
            const { isError, content } = await client.callTool({ name, arguments: { ...given } });
            return { isError, texts: (content as { text: string }[]).map(({ text: each }) => each) };
          };
          const post = { title: 'First', body: 'b' };
          const refused = await call('create_post', post);
          assert.equal(refused.texts[0], '{"error":"unauthorized"}');
          assert.match(refused.texts.at(-1)!, /is not registered .*call register_agent with a handle and a purpose/);
          assert.match(
            (await call('register_agent', { handle: 'New One' })).texts[1]!,
            /handle: 3 to 64 of a-z, 0-9 and -; /,
          );
          const twoLines = await call('register_agent', { handle: 'newcomer', purpose: 'a\nb' });
          assert.deepEqual([twoLines.isError, twoLines.texts[0]], [true, '{"error":"invalid_request"}']);
          // What tells after a lost answer.
          assert.equal(JSON.parse((await call('get_greeting', {})).texts[1]!).agent, null);
          if (door === 'core') continue;
          const taken = await call('register_agent', { handle: 'bridged', purpose: 'testing' });
          assert.equal(taken.texts[0], '{"error":"conflict","field":"handle"}');
          const newcomer = { handle: 'newcomer', purpose: 'testing' };
          await rename(`${path}.next`, `${path}.kept`);
          await writeKeyFile(`${path}.next`, generateAgentKeys());
          const { texts: strange } = await call('register_agent', newcomer);
          assert.equal(strange[0], '{"error":"key_file"}');
          assert.match(strange[1]!, /belong to different agents/);
          await rename(`${path}.kept`, `${path}.next`);
          assert.equal((await call('register_agent', newcomer)).isError, false);
          assert.equal((await call('create_post', post)).isError, false);
          const { tools: after } = await client.listTools();
          assert.ok(after.find(({ name }) => name === 'register_agent')?.inputSchema.required?.includes('identity'));
        } finally {
          await client.close();
        }
      }
      // As `forum register` does, it has committed the agent to the key beside the key file: no other follows.
      const current = await readKeyFile(path);
      const stranger = new ForumClient({ baseUrl: forum.url });
      const stolen = stranger.rotateKey({ current, next: generateNextKeys(current) });
      await assert.rejects(stolen, { token: 'conflict', field: 'newKey' });
      const { keyNumber } = await stranger.rotateKey({ current, next: await readKeyFile(`${path}.next`) });
      assert.equal(keyNumber, 1);
    });

    it('commits the agent to no next key with that option', async () => {
      const path = join(directory, 'alone.json');
      await writeKeyFile(path, generateAgentKeys());
      const client = new Client({ name: 'test', version: '1.0.0' });
      const args = [...command, '--url', forum.url, '--key', path, '--without-next-key'];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
      const newcomer = { handle: 'alone', purpose: 'testing' };
      const { isError } = await client.callTool({ name: 'register_agent', arguments: newcomer });
      await client.close();
      assert.equal(isError, false);
      await assert.rejects(access(`${path}.next`), { code: 'ENOENT' });
    });

    it('tells a clock that is off, and a bridge that signs nothing, apart from that', async () => {
      const late = new ForumClient({ baseUrl: forum.url, keys, now: () => Date.now() - 3_600_000 });
      for (const [client, why] of [
        [late, /^Agent ag1-\S+ is registered, but its signature was declined\. Check the clock of this machine\.$/],
        [new ForumClient({ baseUrl: forum.url }), /^This bridge signs nothing, .*forum keygen/],
      ] as const) {
        const lines: string[] = [];
        const streams = { input: Readable.from([Buffer.from(`${call(1)}\n`)]), log: () => {} };
        await runBridge(client, { ...streams, writeLine: (line) => lines.push(line) }, 'core');
        assert.match((JSON.parse(lines[0]!) as RpcAnswer).result!.content!.at(-1)!.text, why);
      }
    });

    it('ends with its input, with nothing on standard output but messages', async () => {
      const child = spawned(['--url', forum.url, '--key', keyPath]);
      child.stdin!.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
      const [output] = await Promise.all([text(child.stdout!), once(child, 'close')]);
      assert.equal(output, '{"jsonrpc":"2.0","id":1,"result":{}}\n');
      assert.equal(child.exitCode, 0);
    });

    it('starts without a usable key file, reads, and says to model and people what is missing', async () => {
      const missing = join(directory, 'missing.json');
      const open = join(directory, 'open.json');
      await writeKeyFile(open, generateAgentKeys());
      await chmod(open, 0o644);
      const elsewhere = join(directory, 'elsewhere.json');
      await writeKeyFile(elsewhere, { ...generateAgentKeys(), origin: 'https://other.example' });
      for (const [path, why] of [
        [missing, /can only read: \S+missing\.json does not exist\. To write \(forum keygen\), then start .* again\./],
        [open, /can only read: \S+open\.json is open to others: chmod 600 it/],
        [elsewhere, /can only read: .* is for https:\/\/other\.example and is not used at http/],
      ] as const) {
        const client = new Client({ name: 'test', version: '1.0.0' });
        const args = [...command, '--url', forum.url, '--key', path, '--door', 'core'];
        const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' });
        const complaint = text(transport.stderr as Readable);
        await client.connect(transport);
        assert.match(client.getInstructions() ?? '', why);
        assert.notEqual((await client.callTool({ name: 'list_posts', arguments: {} })).isError, true);
        const refused = await client.callTool({ name: 'create_post', arguments: { title: 'T', body: 'b' } });
        const texts = (refused.content as { text: string }[]).map(({ text: each }) => each);
        assert.equal(texts[0], '{"error":"unauthorized"}');
        assert.match(texts.at(-1)!, why);
        await client.close();
        assert.match(await complaint, why);
      }
    });

    const spawned = (args: string[]): ChildProcess => spawn(process.execPath, [...command, ...args], { stdio: 'pipe' });
  });
});
