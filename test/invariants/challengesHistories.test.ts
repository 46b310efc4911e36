import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  assertVerified,
  declaration,
  HOUR_MS,
  MINUTE_MS,
  type OpenChallenge,
  score,
  stake,
  submit,
} from '../features/challenges/support.ts';
import type { Answer, TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

/** `CHALLENGE_HISTORIES=200 npm test -- test/invariants` runs more of them. */
const HISTORIES = Number(process.env.CHALLENGE_HISTORIES ?? 8);
const AGENTS = 5;
const OUTCOMES = ['y', 'n', 'm'];

const agent = fc.nat(AGENTS - 1);
const pick = fc.nat(20);
const act = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('declare' as const),
      agent,
      award: fc.constantFrom(0.000001, 1, 3.5),
      outcomes: fc.constantFrom(2, 3),
      defaultOutcome: fc.constantFrom(undefined, 'y', 'n'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      agent,
      pick,
      // What answers say decides nothing but whether they win.
      says: fc.constantFrom('y', 'n', 'm', 'nothing'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('stake' as const),
      agent,
      pick,
      outcome: fc.constantFrom(...OUTCOMES),
      amount: fc.constantFrom(0.000001, 0.7, 3, 11),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('score' as const), agent, pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('suspend' as const), agent }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(MINUTE_MS, HOUR_MS / 2) }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;
/** The actions of one batch run concurrently. */
const history = fc.array(fc.array(act, { minLength: 1, maxLength: 6 }), { minLength: 5, maxLength: 9, size: 'max' });

describe('challenges: random histories', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum({
      env: { LIMIT_POSTS: '9999', LIMIT_CHALLENGE_SUBMISSIONS: '9999', LIMIT_BOUNTY_WRITES: '9999' },
    });
  });
  after(() => forum.stop());

  it(`settle by the rules and verify after ${HISTORIES} histories with races`, async () => {
    await fc.assert(
      fc.asyncProperty(history, async (batches) => {
        const play = new Play(forum, await Promise.all(Array.from({ length: AGENTS }, () => forum.agent())));
        for (const batch of batches) {
          // A request that is under way would no longer be signed for the time when the clock jumps far.
          const later = batch.filter((next) => next.do === 'pass' && next.ms > MINUTE_MS);
          await Promise.all(batch.map((next) => later.includes(next) || play.run(next)));
          for (const next of later) await play.run(next);
          await assertVerified(forum);
        }
        await play.finish();
        await assertVerified(forum);
      }),
      { numRuns: HISTORIES },
    );
  }).timeout(120_000 + HISTORIES * 20_000);
});

interface Declared extends OpenChallenge {
  readonly outcomes: string[];
  readonly defaultOutcome: string | undefined;
}

class Play {
  readonly #forum: TestForum;
  readonly #agents: TestAgent[];
  readonly #challenges: Declared[] = [];
  readonly #suspended = new Set<string>();

  constructor(forum: TestForum, agents: TestAgent[]) {
    this.#forum = forum;
    this.#agents = agents;
  }

  async run(next: Act): Promise<void> {
    if (next.do === 'pass') return this.#forum.advance(next.ms);
    const caller = this.#agents[next.agent]!;
    if (next.do === 'declare') return this.#declare(caller, next);
    if (next.do === 'suspend') return this.#suspend(caller);
    const challenge = this.#challenges[next.pick % Math.max(1, this.#challenges.length)];
    if (!challenge) return;
    const answer = await this.#act(caller, challenge, next);
    assert.ok([200, 201, 400, 403, 409].includes(answer.status), `${next.do}: ${answer.status}`);
  }

  #act(caller: TestAgent, challenge: OpenChallenge, next: Extract<Act, { pick: number }>): Promise<Answer> {
    if (next.do === 'submit') return submit(caller, challenge, { says: next.says });
    return next.do === 'stake' ? stake(caller, challenge, next.outcome, next.amount) : score(caller, challenge);
  }

  async #declare(caller: TestAgent, { award, outcomes: count, defaultOutcome }: Extract<Act, { do: 'declare' }>) {
    const outcomes = OUTCOMES.slice(0, count);
    const rules = outcomes.map((outcome) => ({ when: { assert: 'equals', path: 'says', value: outcome }, outcome }));
    const checkerProgram = { expectedOutcome: 'y', rules, ...(defaultOutcome ? { defaultOutcome } : {}) };
    const sent = declaration(this.#forum, { award, outcomes, checkerProgram });
    const { status, body } = await caller.post('/v1/challenges', sent);
    if (status !== 201) return;
    const { challengeId } = body;
    const scoringAtMs = Date.parse(body.declaration.scoringAt);
    const path = `/v1/challenges/${challengeId}`;
    this.#challenges.push({ challengeId, path, scoringAtMs, outcomes, defaultOutcome });
  }

  async #suspend({ agentId }: TestAgent): Promise<void> {
    // One agent stays, so that somebody can score.
    if (this.#suspended.size === AGENTS - 2) return;
    this.#suspended.add(agentId);
    await this.#forum.rows('UPDATE agent_states SET suspended = true WHERE agent_id = $1', [agentId]);
  }

  /** Scores what is left and compares all that was settled now with what the rows say. */
  async finish(): Promise<void> {
    this.#forum.advance(2 * HOUR_MS);
    const scorer = this.#agents.find(({ agentId }) => !this.#suspended.has(agentId))!;
    for (const challenge of this.#challenges) {
      const before = (await scorer.get(challenge.path)).body;
      const { status, body } = await score(scorer, challenge);
      assert.equal(status, 200);
      if (before.scoring === null) await this.#compare(challenge, body);
      const { winner, outcome, awarded } = body.scoring;
      assert.equal(winner === null, outcome !== 'y');
      assert.equal(awarded, winner === null ? 0 : body.declaration.award);
    }
  }

  async #compare(challenge: Declared, { scoring }: Answer['body']): Promise<void> {
    const standing = await this.#forum.rows<{ agent_id: string; says: string; declarer_id: string; against: boolean }>(
      `SELECT u.agent_id, u.answer::json->>'says' AS says, c.declarer_id,
              EXISTS (SELECT FROM challenge_stakes k WHERE k.challenge_id = u.challenge_id AND k.agent_id = u.agent_id
                      AND k.outcome <> 'y') AS against
       FROM challenge_submissions u JOIN challenges c ON c.challenge_id = u.challenge_id
       WHERE u.challenge_id = $1 ORDER BY u.submission_number`,
      [challenge.challengeId],
    );
    const deciding = standing.filter(
      ({ agent_id, declarer_id, against }) => agent_id !== declarer_id && !against && !this.#suspended.has(agent_id),
    );
    // What no rule matches gets the default outcome, which may be the expected one.
    const byDefault = challenge.defaultOutcome === 'y';
    const winner = deciding.find(({ says }) => says === 'y' || (byDefault && !challenge.outcomes.includes(says)));
    const others = challenge.outcomes.filter((outcome) => outcome !== 'y');
    const unsolved = challenge.defaultOutcome === 'n' ? 'n' : others.length === 1 ? others[0] : 'void';
    assert.equal(scoring.winner?.agentId, winner?.agent_id);
    assert.equal(scoring.outcome, winner ? 'y' : deciding.length > 0 ? unsolved : 'void');
  }
}
