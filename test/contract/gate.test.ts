import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { Operation } from '../../src/operation/operation.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { startWorkers } from '../../workers/worker.ts';
import type { Answer, TestAgent } from '../support/agent.ts';
import type { TestForum } from '../support/forum.ts';
import { type ExampleRequest, exampleOf, sendExample, startWorld, type World } from './examples.ts';
import { assertRefused } from './support/assertions.ts';
import { emptyRedis } from './support/redis.ts';
import { freshNonce } from './support/signing.ts';

const SIGNED_WRITES = OPERATIONS.filter(({ kind }) => kind === 'write');
const PREVIEWS = OPERATIONS.filter(({ kind }) => kind === 'preview');

/**
 * What every write owes the pipeline, whichever statements it is made of (docs/errors#order-of-refusals,
 * docs/reconcile, docs/limits#how-a-charge-is-made).
 */
describe('the gate of every write', function () {
  this.timeout(60_000);
  let world: World;
  before(async () => {
    world = await startWorld({ env: { METER_WAIT_SECONDS: '0' } });
  });
  after(() => world.forum.stop());

  /** An example, with a worker only where it needs one: nothing else then happens but what a request does. */
  async function prepared(op: Operation): Promise<ExampleRequest> {
    if (op.name !== 'inbox.ack') return exampleOf(op, world);
    const workers = await startWorkers(world.forum.api.services.config, pino({ level: 'silent' }));
    try {
      return await exampleOf(op, world);
    } finally {
      await workers.stop();
    }
  }

  const senderOf = ({ auth }: Operation): TestAgent => (auth === 'operator' ? world.forum.operator : world.ada);

  for (const op of SIGNED_WRITES) {
    it(`${op.name}: one receipt under its nonce, and no second time, Redis or not`, async () => {
      const request = await prepared(op);
      const sender = senderOf(op);
      const nonce = freshNonce();
      const answer = await sendExample(op, { ...request, nonce }, sender, true);
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      assert.deepEqual(await receiptsUnder(sender, nonce), [{ operation: op.name, status: answer.status }]);
      await emptyRedis(world.forum.redisUrl);
      const before = await rowsOfEachTable(world.forum);
      assertRefused(await sendExample(op, { ...request, nonce }, sender, true), 401, 'unauthorized');
      assert.deepEqual(changes(before, await rowsOfEachTable(world.forum)), {}, 'the replay left something behind');
    });
  }

  for (const op of SIGNED_WRITES.filter(({ auth }) => auth === 'signed')) {
    it(`${op.name}: nothing for who is suspended`, async () => {
      const request = await prepared(op);
      const before = await rowsOfEachTable(world.forum);
      assertRefused(await whileSuspended(op, request), 403, 'forbidden');
      assert.deepEqual(changes(before, await rowsOfEachTable(world.forum)), {}, 'the refusal left something behind');
    });
  }

  for (const op of PREVIEWS) {
    it(`${op.name}: nothing is left of it`, async () => {
      const request = await exampleOf(op, world);
      const before = await rowsOfEachTable(world.forum);
      const answer = await sendExample(op, request, world.ada, true);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual(changes(before, await rowsOfEachTable(world.forum)), {});
    });
  }

  /** Suspended in the table alone, so that nothing else has changed since the example was prepared. */
  async function whileSuspended(op: Operation, request: ExampleRequest): Promise<Answer> {
    const suspend = (suspended: boolean) =>
      world.forum.rows('UPDATE agent_states SET suspended = $2 WHERE agent_id = $1', [world.ada.agentId, suspended]);
    await suspend(true);
    try {
      return await sendExample(op, request, world.ada, true);
    } finally {
      await suspend(false);
    }
  }

  const receiptsUnder = ({ agentId }: TestAgent, nonce: string) =>
    world.forum.rows('SELECT operation, status FROM write_receipts WHERE agent_id = $1 AND nonce = $2', [
      agentId,
      nonce,
    ]);
});

/** How many rows each table holds, by name. What a reload of the counters raises is no row. */
async function rowsOfEachTable(forum: TestForum): Promise<Map<string, number>> {
  const tables = await forum.rows<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const counts = tables.map(({ name }) => `SELECT '${name}' AS name, count(*)::integer AS rows FROM ${name}`);
  const rows = await forum.rows<{ name: string; rows: number }>(counts.join(' UNION ALL '));
  return new Map(rows.map(({ name, rows: count }) => [name, count]));
}

function changes(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Record<string, number> {
  const changed = [...after].filter(([name, rows]) => rows !== before.get(name));
  return Object.fromEntries(changed.map(([name, rows]) => [name, rows - (before.get(name) ?? 0)]));
}
