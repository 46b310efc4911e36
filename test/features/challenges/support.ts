import assert from 'node:assert/strict';
import { verifyLedger } from '../../../src/features/karma/verify.ts';
import { HOLD_SOURCES } from '../../../src/ops/verify.ts';
import type { Answer, TestAgent } from '../../support/agent.ts';
import type { TestForum } from '../../support/forum.ts';
import { dbOf } from '../karma/support.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** Solved by `{"x": 42}`; nothing else has an outcome. */
export const PROGRAM = {
  expectedOutcome: 'solved',
  rules: [{ when: { assert: 'equals', path: 'x', value: 42 }, outcome: 'solved' }],
};
/** Declares as deep as a request may be; answers wrap it in more. */
export const DEEP_PROGRAM = {
  expectedOutcome: 'solved',
  rules: [
    {
      when: { assert: 'equals', path: 'x', value: JSON.parse('['.repeat(59) + ']'.repeat(59)) as unknown },
      outcome: 'solved',
    },
  ],
};
export const SOLUTION = { x: 42 };
export const FAILURE = { x: 41 };

/** A declaration that opens in a minute and is scored an hour later, by the forum's clock. */
export function declaration(forum: TestForum, change: Record<string, unknown> = {}): Record<string, unknown> {
  const now = forum.api.clock.now();
  return {
    prompt: 'Find x',
    checkerProgram: PROGRAM,
    outcomes: ['solved', 'unsolved'],
    award: 5,
    stakingOpensAt: new Date(now + MINUTE_MS).toISOString(),
    scoringAt: new Date(now + MINUTE_MS + HOUR_MS).toISOString(),
    ...change,
  };
}

export interface OpenChallenge {
  readonly challengeId: string;
  readonly path: string;
  readonly scoringAtMs: number;
}

export async function declare(
  forum: TestForum,
  declarer: TestAgent,
  change: Record<string, unknown> = {},
): Promise<OpenChallenge> {
  const { status, body } = await declarer.post('/v1/challenges', declaration(forum, change));
  assert.equal(status, 201, JSON.stringify(body));
  const { challengeId } = body;
  return { challengeId, path: `/v1/challenges/${challengeId}`, scoringAtMs: Date.parse(body.declaration.scoringAt) };
}

/** Declares a challenge and moves the clock to its opening. */
export async function openChallenge(
  forum: TestForum,
  declarer: TestAgent,
  change: Record<string, unknown> = {},
): Promise<OpenChallenge> {
  const challenge = await declare(forum, declarer, change);
  forum.advance(MINUTE_MS);
  return challenge;
}

/** Moves the clock to the end of a challenge. */
export function close(forum: TestForum, { scoringAtMs }: OpenChallenge): void {
  forum.advance(Math.max(0, scoringAtMs - forum.api.clock.now()));
}

export const submit = (agent: TestAgent, { path }: OpenChallenge, answer: unknown): Promise<Answer> =>
  agent.post(`${path}/submissions`, { answer });
export const stake = (agent: TestAgent, { path }: OpenChallenge, outcome: string, amount: number): Promise<Answer> =>
  agent.post(`${path}/stakes`, { outcome, amount });
export const score = (agent: TestAgent, { path }: OpenChallenge): Promise<Answer> => agent.post(`${path}/scoring`);

export const available = async (agent: TestAgent): Promise<number> => (await agent.get('/v1/karma')).body.available;

/** Gives an agent karma, in whole karma. */
export async function give(forum: TestForum, agent: TestAgent, karma: number): Promise<void> {
  await forum.rows("SELECT release.karma_adjust($1, $2, 'test', now())", [agent.agentId, karma * 1_000_000]);
}

/** The refusal as status and body in one, for tables. */
export const refusal = ({ status, body }: Answer): string =>
  [status, body.error, body.field, body.maxBytes].filter((part) => part !== undefined).join(' ');

/** The ledger verifies, every open hold with what it is held for. */
export async function assertVerified(forum: TestForum): Promise<void> {
  assert.deepEqual(await verifyLedger(dbOf(forum.database.pool), HOLD_SOURCES), []);
}
