import assert from 'node:assert/strict';
import { lastingAllowance } from '../../src/features/overview/operations.ts';
import type { Operation } from '../../src/operation/operation.ts';
import { OPERATIONS } from '../../src/operations.ts';
import type { Answer, TestAgent } from '../support/agent.ts';
import { type ExampleRequest, exampleOf, sendExample, startWorld, type World, waysToSend } from './examples.ts';
import { freshNonce } from './support/signing.ts';

const TAG = /^W\/"[\w-]{22}"$/;
const VARY = 'x-svc-agent-id, x-svc-signature';
const READS = OPERATIONS.filter(({ method }) => method === 'GET');
/** What somebody else may do meanwhile changes an answer too; the time changes it each time. */
const ATTEMPTS = 3;

describe('validators', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.forum.stop());

  const asker = ({ auth }: Operation): TestAgent => (auth === 'operator' ? world.forum.operator : world.ada);
  const validatorsOf = ({ headers }: Answer) => ['etag', 'cache-control', 'vary'].map((name) => headers.get(name));
  const ifNoneMatch = (request: ExampleRequest, tag: string) => ({ ...request, headers: { 'if-none-match': tag } });

  for (const op of READS) {
    it(`${op.name} returns 304 later if only the time has changed`, async () => {
      const request = await exampleOf(op, world);
      for (const isSigned of waysToSend(op)) {
        let first: Answer;
        let second: Answer;
        let attempt = 0;
        do {
          first = await sendExample(op, request, asker(op), isSigned);
          world.forum.advance(1_500);
          second = await sendExample(op, ifNoneMatch(request, first.headers.get('etag')!), asker(op), isSigned);
        } while (second.status !== 304 && ++attempt < ATTEMPTS);
        assert.match(first.headers.get('etag')!, TAG);
        assert.deepEqual([second.status, second.body], [304, null]);
        const caching = isSigned ? 'private, no-cache' : 'public, no-cache';
        // Larger answers may come compressed.
        const vary = JSON.stringify(first.body).length > 8_192 ? `${VARY}, accept-encoding` : VARY;
        assert.deepEqual(validatorsOf(first).slice(1), [caching, vary]);
        assert.deepEqual(validatorsOf(second), validatorsOf(first));
      }
    });
  }

  it('are no part of a refusal, nor of what a write answers', async () => {
    const refused = await world.ada.anonymous('GET', `/v1/posts/p_${'0'.repeat(25)}`, {
      headers: { 'if-none-match': '*' },
    });
    const written = await world.ada.signed('POST', '/v1/posts', {
      body: { title: 't', body: 'b' },
      headers: { 'if-none-match': '*' },
    });
    const wrong = await world.ada.anonymous('GET', '/v1/posts', {
      query: 'limit=0',
      headers: { 'if-none-match': '*' },
    });
    assert.deepEqual([refused.status, written.status, wrong.status], [404, 201, 400]);
    assert.deepEqual(validatorsOf(written), [null, null, null]);
    const unknown = await world.ada.anonymous('GET', '/nothing');
    const tile = await world.ada.anonymous('GET', '/log/tile/0/999');
    // A cache that keeps a 404 would answer it to a member, or when it is there.
    for (const answer of [refused, wrong, unknown, tile])
      assert.deepEqual(validatorsOf(answer), [null, 'no-store', null]);
  });

  it('are looked at after credentials: a nonce is spent, and declined ones are said', async () => {
    const headers = { 'if-none-match': '*' };
    const nonce = freshNonce();
    const read = () => world.ada.signed('GET', '/v1/karma', { nonce, headers });
    assert.deepEqual([(await read()).status, (await read()).status], [304, 401]);
    const optional = { nonce: freshNonce(), headers };
    await world.ada.signed('GET', '/v1/posts', optional);
    const again = await world.ada.signed('GET', '/v1/posts', optional);
    assert.equal(again.status, 304);
    assert.deepEqual(
      [again.headers.get('x-svc-auth'), again.headers.get('cache-control')],
      ['declined', 'private, no-cache'],
    );
  });

  it('are of the text: one of a list, weak or strong, and no other', async () => {
    const tag = (await world.ada.anonymous('GET', '/v1/agents')).headers.get('etag')!;
    const statusOf = async (value: string) =>
      (await world.ada.anonymous('GET', '/v1/agents', { headers: { 'if-none-match': value } })).status;
    for (const known of [tag, tag.slice(2), `"a", ${tag}`, '*']) assert.equal(await statusOf(known), 304, known);
    for (const unknown of ['"a"', tag.slice(3, -1), 'W/""', '']) assert.equal(await statusOf(unknown), 200, unknown);
  });

  it('go with HEAD alike', async () => {
    // Short enough to be sent uncompressed.
    const url = `${world.forum.url}/v1/agents?limit=5`;
    const got = await fetch(url);
    const etag = got.headers.get('etag')!;
    const { length } = await got.text();
    const headed = await fetch(url, { method: 'HEAD' });
    assert.deepEqual(
      [headed.status, headed.headers.get('etag'), headed.headers.get('content-length')],
      [200, etag, String(length)],
    );
    const unchanged = await fetch(url, { method: 'HEAD', headers: { 'if-none-match': etag } });
    assert.deepEqual([unchanged.status, unchanged.headers.get('etag')], [304, etag]);
  });

  it('are declared for every read, and for nothing else', async () => {
    const { paths } = (await world.ada.anonymous('GET', '/openapi.json')).body;
    for (const { path, method, kind } of OPERATIONS) {
      const { responses } = paths[path][method.toLowerCase()];
      assert.deepEqual(
        [304 in responses, 'headers' in (responses[200] ?? {})],
        [kind === 'read', kind === 'read'],
        path,
      );
    }
  });

  it('cover the reset of what is charged, and of nothing else', () => {
    const resetAt = '2026-01-01T00:00:00.000Z';
    assert.deepEqual(lastingAllowance({ limit: 2, remaining: 1, resetAt }), { limit: 2, remaining: 1, resetAt });
    assert.deepEqual(lastingAllowance({ limit: 2, remaining: 2, resetAt }), { limit: 2, remaining: 2 });
  });
});
