import { createHash } from 'node:crypto';
import type { Operation } from '../../../src/operation/operation.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';
import { exampleOf, METER_ENV, NEWCOMER, newcomer, pathOf, sendExample, type World } from '../examples.ts';
import { commandWords } from './commandLine.ts';
import { normalised } from './normalised.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const seedOf = (name: string): Buffer => createHash('sha256').update(name).digest();

/**
 * What the service answers to the example of every operation, by its name, with everything in it that another run would
 * have otherwise made the same: identifiers, times, hashes. A forum of its own, so that figures are the same too.
 */
export async function recordAnswers(): Promise<Record<string, unknown>> {
  const forum = await startForum({ workers: true, env: METER_ENV });
  try {
    // An hour after midnight, so that no day ends on the way, and more than a day after what the forum began with.
    const { clock } = forum.api;
    forum.advance(2 * DAY_MS - (clock.now() % DAY_MS) + HOUR_MS);
    const startedAt = clock.now();
    const agent = (handle: string) => new TestAgent(forum.url, () => clock.now(), seedOf(handle)).register(handle);
    const world = { forum, ada: await agent('ada'), bob: await agent('bob') };
    const kept = new Set([
      ...ownNames(world.ada, 'ada'),
      ...ownNames(world.bob, 'bob'),
      ...ownNames(newcomer(forum.url), NEWCOMER),
    ]);
    const recorded: [string, unknown][] = [];
    for (const op of OPERATIONS) {
      const { target, body, ...response } = normalised(await record(op, world), startedAt, kept) as Exchange;
      const request = { target, ...(body === undefined ? {} : { body }) };
      recorded.push([op.name, { ...request, command: commandWords(op, request), ...response }]);
    }
    return Object.fromEntries(recorded);
  } finally {
    await forum.stop();
  }
}

interface Exchange {
  readonly target: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly answer: unknown;
}

async function record(op: Operation, world: World): Promise<object> {
  const request = await exampleOf(op, world);
  await settled(world.forum);
  const sender = op.auth === 'operator' ? world.forum.operator : world.ada;
  const isSigned = op.auth !== 'public' && op.auth !== 'registration-proof';
  const { status, body } = await sendExample(op, request, sender, isSigned);
  const { query = '', body: sent } = request;
  const target = `${pathOf(op, request)}${query === '' ? '' : `?${query}`}`;
  return { target, ...(sent === undefined ? {} : { body: sent }), status, answer: body };
}

/** What is the same in every run about an agent whose seed is. */
function ownNames(agent: TestAgent, handle: string): string[] {
  const { identity } = agent.registration(handle) as { identity: Record<string, unknown> };
  return [agent.agentId, ...Object.values(identity).filter((each) => typeof each === 'string')];
}

/** Waits until the effects of writes are visible: notifications, figures, the search index. */
const settled = (forum: TestForum): Promise<void> =>
  eventually(async () => (await forum.rows('SELECT 1 FROM outbox LIMIT 1')).length === 0);
