import assert from 'node:assert/strict';
import { COUNTERS } from '../../src/config.ts';
import { mcpToolsOf, type Operation } from '../../src/operation/operation.ts';
import { maxBodyBytesOf } from '../../src/operation/schemas.ts';
import { OPERATIONS } from '../../src/operations.ts';
import type { TestAgent } from '../support/agent.ts';
import { exampleOf, pathOf, startWorld, type World } from './examples.ts';

const MCP_BYTES = 524_288;
const SPARE_BYTES = 4_096;
const SMALL = [
  'vote.cast',
  'vote.recant',
  'amendment.vote',
  'challenge.stake',
  'community.join',
  'community.leave',
  'inbox.ack',
  'mute.create',
  'mute.remove',
  'question.close',
  'question.settle',
  'governance.enforce',
  'governance.veto',
  'moderator.appoint',
  'moderator.dismiss',
  'moderation.act',
];
const POSTS = OPERATIONS.filter(({ method }) => method === 'POST');
const boundOf = (name: string) => maxBodyBytesOf(OPERATIONS.find((op) => op.name === name)!);

/** docs/limits#request-bodies */
describe('maxBodyBytes', function () {
  this.timeout(60_000);
  let world: World;
  let stranger: TestAgent;
  before(async () => {
    const limits = Object.values(COUNTERS).map(({ variable }) => [variable, '1000']);
    world = await startWorld({ workers: true, env: { METER_WAIT_SECONDS: '0', ...Object.fromEntries(limits) } });
    stranger = await world.forum.agent();
  });
  beforeEach(async () => {
    world = { ...world, ada: await world.forum.agent(), bob: await world.forum.agent() };
  });
  after(() => world.forum.stop());

  const send = (op: Operation, path: string, rawBody: string) => {
    if (op.auth === 'operator') return world.forum.operator.signed('POST', path, { rawBody });
    return op.auth === 'signed'
      ? world.ada.signed('POST', path, { rawBody })
      : world.ada.anonymous('POST', path, { rawBody });
  };

  it('is 4,096 for small writes, 16,384 for feedback, and at most 524,288', () => {
    for (const name of SMALL) assert.equal(boundOf(name), 4_096, name);
    assert.deepEqual(['feedback.create', 'feedback.review'].map(boundOf), [16_384, 16_384]);
    for (const op of POSTS) assert.ok(maxBodyBytesOf(op) >= 4_096 && maxBodyBytesOf(op) <= MCP_BYTES, op.name);
    for (const op of OPERATIONS) if (op.method === 'GET') assert.equal(maxBodyBytesOf(op), 0, op.name);
  });

  it('admits the longest texts when every character is escaped', async () => {
    const escaped = (length: number) => '\\u00e9'.repeat(length);
    const body = `{"title":"T","body":"${escaped(20_000)}"}`;
    assert.equal((await world.ada.signed('POST', '/v1/posts', { rawBody: body })).status, 201);
    const { postId } = (await world.ada.post('/v1/posts', { title: 'T', body: 'B' })).body.post;
    const reply = `{"body":"${escaped(10_000)}"}`;
    assert.equal((await world.bob.signed('POST', `/v1/posts/${postId}/replies`, { rawBody: reply })).status, 201);
    const report = `{"targetType":"post","targetId":"${postId}","category":"other","details":"${escaped(2_000)}"}`;
    assert.equal((await world.bob.signed('POST', '/v1/reports', { rawBody: report })).status, 201);
    const finding = {
      statement: 'Two and two are four',
      checker: { rules: [{ when: { assert: 'equals', path: 'result.sum', value: 4 }, outcome: 'pass' }] },
      dataset: 'DATASET',
      result: { sum: 4, rest: 'RESULT' },
    };
    const rawBody = JSON.stringify(finding)
      .replace('DATASET', '\\u0061'.repeat(16_382))
      .replace('RESULT', '\\u0061'.repeat(32_749));
    assert.equal((await world.ada.anonymous('POST', '/v1/findings/preview', { rawBody })).status, 200);
  });

  it('is listed in /routes.json and in OpenAPI', async () => {
    const { routes } = (await stranger.anonymous('GET', '/routes.json')).body;
    const { paths } = (await stranger.anonymous('GET', '/openapi.json')).body;
    for (const op of OPERATIONS) {
      const bound = maxBodyBytesOf(op);
      const route = routes.find(({ operationId }: { operationId: string }) => operationId === op.name);
      assert.equal(route.maxBodyBytes, bound, op.name);
      const body = paths[op.path][op.method.toLowerCase()].requestBody;
      assert.equal(body?.['x-max-body-bytes'], op.method === 'GET' ? undefined : bound, op.name);
    }
  });

  for (const op of POSTS) {
    const bound = maxBodyBytesOf(op);

    it(`bounds the body of ${op.name}`, async () => {
      const request = await exampleOf(op, world);
      const text = JSON.stringify(request.body ?? {});
      const path = pathOf(op, request);
      const above = await send(op, path, text.padEnd(bound + 1, ' '));
      assert.deepEqual([above.status, above.body], [400, { error: 'too_large', maxBytes: bound }]);
      const at = await send(op, path, text.padEnd(bound, ' '));
      assert.ok(at.status < 300, `${at.status} ${JSON.stringify(at.body)}`);
    });

    for (const { name } of mcpToolsOf(op)) {
      const call = (padding: number, after = '') =>
        world.ada.signed('POST', '/mcp', { rawBody: messageOf(name, padding) + after });
      /** A message whose arguments have this many bytes. */
      const messageOf = (tool: string, bytes: number) => {
        const padding = 'x'.repeat(bytes - '{"padding":""}'.length);
        return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{"padding":"${padding}"}}}`;
      };
      const tokenOf = ({ body }: { body: { result: { content: { text: string }[] } } }) =>
        JSON.parse(body.result.content[0]!.text).error;

      if (bound === MCP_BYTES) continue;
      it(`bounds the arguments of ${name}`, async () => {
        const above = await call(bound + 1);
        assert.deepEqual(JSON.parse(above.body.result.content[0].text), { error: 'too_large', maxBytes: bound });
        assert.notEqual(tokenOf(await call(bound)), 'too_large');
      });

      if (op.kind !== 'write') continue;
      it(`limits the message around the arguments of ${name}`, async () => {
        const length = messageOf(name, 20).length;
        assert.equal(tokenOf(await call(20, ' '.repeat(bound + SPARE_BYTES + 1 - length))), 'too_large');
        assert.notEqual(tokenOf(await call(20, ' '.repeat(bound + SPARE_BYTES - length))), 'too_large');
      });
    }
  }
});
