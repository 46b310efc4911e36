import assert from 'node:assert/strict';
import type { CounterName } from '../../src/config.ts';
import type { PreviewOperation, WriteOperation } from '../../src/operation/operation.ts';
import { OPERATIONS } from '../../src/operations.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum } from '../support/forum.ts';
import { type ExampleRequest, exampleOf, type World } from './examples.ts';
import { assertRefused } from './support/assertions.ts';
import { freshNonce } from './support/signing.ts';

const FINDING = {
  statement: 'Two and two are four',
  checker: { rules: [{ when: { assert: 'equals', path: 'result.sum', value: 4 }, outcome: 'pass' }] },
  dataset: { terms: [2, 2] },
  result: { sum: 4 },
};

type Prepare = (world: World) => Promise<ExampleRequest>;

/** What the state does not allow, by operation: an example that was carried out once, unless it says otherwise. */
const again =
  (name: string): Prepare =>
  async (world) => {
    const request = await exampleOf(name, world);
    const first = await world.ada.signed('POST', pathOf(operation(name), request.params), request);
    assert.ok(first.status < 300, JSON.stringify(first.body));
    return request;
  };
/** The same once the clock has moved on. */
const later =
  (name: string, ms: number): Prepare =>
  async (world) => {
    const request = await exampleOf(name, world);
    world.forum.advance(ms);
    return request;
  };
const superseded: Prepare = async ({ ada }) => {
  const content = { title: 'A finding', body: 'Found' };
  const { post } = (await ada.post('/v1/posts', { ...content, finding: FINDING })).body;
  const supersedes = { postId: post.postId, attachmentHash: post.finding.attachmentHash };
  const body = { ...content, finding: { ...FINDING, supersedes } };
  assert.equal((await ada.post('/v1/posts', body)).status, 201);
  return { body };
};

/** Their allowance comes before whatever they would tell: `conflictsADay` of the operation (docs/communities). */
const ALLOWANCE_FIRST: readonly string[] = ['community.create'];

const CONFLICTS: Readonly<Record<string, Prepare>> = {
  'post.create': superseded,
  'post.preview': superseded,
  'community.create': again('community.create'),
  'community.join': again('community.join'),
  'question.solve': again('question.solve'),
  'question.close': again('question.close'),
  'question.settle': async (world) => {
    const request = await exampleOf('question.settle', world);
    assert.equal((await world.bob.post(`/v1/questions/${request.params!.postId}/closure`)).status, 200);
    return request;
  },
  'challenge.submit': later('challenge.submit', 3_600_000),
  'challenge.stake': later('challenge.stake', 3_600_000),
  'amendment.create': async (world) => {
    const { body, ...rest } = await exampleOf('amendment.create', world);
    const baseHash = Buffer.alloc(32, 7).toString('base64url');
    return { ...rest, body: { ...(body as object), baseHash } };
  },
  'amendment.vote': later('amendment.vote', 8 * 86_400_000),
};

type Charged = (WriteOperation | PreviewOperation) & { readonly charges: CounterName };

/** Every write that is charged, and every preview of one. */
const CHARGED = OPERATIONS.flatMap((op): Charged[] => {
  const write = op.kind === 'preview' ? op.of : op;
  if (write.kind !== 'write' || !write.counter || write.neverCharged) return [];
  return [{ ...(op as WriteOperation | PreviewOperation), charges: write.counter }];
});
const operation = (name: string) => OPERATIONS.find((op) => op.name === name)!;
const pathOf = ({ path }: { path: string }, params: Readonly<Record<string, string>> = {}) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name]!);

/** docs/errors#order-of-refusals: `rate_limited` is answered after all other checks, of writes and previews alike. */
describe('an exhausted allowance', () => {
  let world: World;
  beforeEach(async () => {
    world = { ...world, ada: await world.forum.agent(), bob: await world.forum.agent() };
  });
  before(async () => {
    const forum = await startForum({ env: { LIMIT_BOUNTY_WRITES: '4' } });
    world = { forum, ada: await forum.agent(), bob: await forum.agent() };
  });
  after(() => world.forum.stop());

  const sender = ({ auth }: Charged): TestAgent => (auth === 'operator' ? world.forum.operator : world.ada);
  async function exhaust({ agentId }: TestAgent, counter: CounterName): Promise<void> {
    const { admission } = world.forum.api.services;
    for (let reserved = true; reserved; ) {
      const nowMs = world.forum.api.clock.now();
      const request = {
        agentId,
        registeredAtMs: 0,
        nonce: freshNonce(),
        requestId: freshNonce(),
        nowMs,
        counter,
        spend: true,
        reserve: true,
      };
      reserved = (await admission.admit(request))!.reserved;
    }
  }

  it('has a conflict to be tried with for every charged operation that knows one', () => {
    const names = CHARGED.filter(({ refusals }) => refusals?.conflict).map(({ name }) => name);
    assert.deepEqual(Object.keys(CONFLICTS).toSorted(), names.toSorted());
  });

  for (const op of CHARGED) {
    it(`refuses ${op.name}`, async () => {
      const request = await exampleOf(op, world);
      await exhaust(sender(op), op.charges);
      const answer = await sender(op).signed('POST', pathOf(op, request.params), request);
      assertRefused(answer, 429, 'rate_limited');
    });

    const conflicting = CONFLICTS[op.name];
    if (!conflicting) continue;
    const isFirst = ALLOWANCE_FIRST.includes(op.name);
    it(`comes ${isFirst ? 'before' : 'after'} the conflict of ${op.name}`, async () => {
      const request = await conflicting(world);
      await exhaust(sender(op), op.charges);
      const { status, body } = await sender(op).signed('POST', pathOf(op, request.params), request);
      assert.deepEqual([status, body.error], isFirst ? [429, 'rate_limited'] : [409, 'conflict']);
    });
  }
});
