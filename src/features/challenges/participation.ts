import { conflict, forbidden, invalid, notFound } from '../../operation/errors.ts';
import type { Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { canonicalJson, hashOfText } from '../../protocol/canonicalJson.ts';
import { toKarma } from '../../protocol/karmaFormat.ts';
import { warningsInJson } from '../../protocol/warnings.ts';
import type { NewEvent } from '../../recording/events.ts';
import { outcomesOf, requireAnswer, verifyDeclaration } from './declaration.ts';
import { challengeLinks, presentStakes, presentVerdict, stateFacts, vetoedChallenge } from './present.ts';
import {
  type ChallengeState,
  decide,
  type Involvement,
  isAwardEligible,
  stakeable,
  stakeRefusal,
  stateOf,
} from './rules.ts';
import type {
  Challenge,
  ChallengeLinks,
  Declared,
  StakeInput,
  StakeReceipt,
  Stakes,
  SubmissionInput,
  SubmissionReceipt,
} from './schemas.ts';
import { requirePublished, showChallenge } from './service.ts';
import {
  answerOf,
  type ChallengeRow,
  challengeById,
  decidingSubmission,
  lockChallenge,
  lockForScoring,
  STAKE_CHALLENGE,
  SUBMIT_ANSWER,
  settle,
} from './store.ts';

/** The checker runs before anything is locked, only while the challenge is open (docs/challenges#submissions). */
export async function submitAnswer(
  ctx: SignedContext,
  { challengeId, answer }: SubmissionInput,
): Promise<Effect<SubmissionReceipt>> {
  requireAnswer(answer);
  const { row, declared } = await requirePublished(ctx.primary, challengeId);
  if (stateOf(stateFacts(row), ctx.now) !== 'open') throw conflict(undefined, 'not open');
  const { checkerProgram, outcomes } = declared;
  const verdict = await ctx.check({ program: checkerProgram, outcomes, answer });
  const { state, involvement } = await lockForAgent(ctx, challengeId);
  if (state !== 'open') throw conflict(undefined, 'not open');
  const { agentId } = ctx.caller;
  const receipt = {
    submissionId: ctx.newId('sub_'),
    challengeId,
    verdict: presentVerdict(verdict),
    replacedPrior: involvement.submitted,
    awardEligible: isAwardEligible(involvement, outcomesOf(declared).expectedOutcome),
    submittedAt: new Date(ctx.now).toISOString(),
  };
  const { submissionId, replacedPrior, awardEligible, submittedAt } = receipt;
  const text = canonicalJson(answer);
  return {
    change: SUBMIT_ANSWER({
      challenge_id: challengeId,
      agent_id: agentId,
      submission_id: submissionId,
      answer: text,
      answer_hash: hashOfText(text),
      outcome: verdict.outcome,
      win: verdict.win,
      award_eligible: awardEligible,
      replaced: replacedPrior,
      at: submittedAt,
    }),
    facts: { ...receipt },
    events: [{ kind: 'challenge.submitted', subject: challengeId, recipient: row.declarer_id }],
    present: () => ({ ...receipt, warnings: warningsInJson({ answer }) }),
  };
}

/** Returns the receipt of an answer; without warnings after a newer answer has replaced it. */
export async function rebuildSubmissionReceipt({ db, caller }: SignedContext, facts: Facts): Promise<object> {
  const { challengeId, submissionId } = facts as unknown as SubmissionReceipt;
  const answer = await answerOf(db, challengeId, caller.agentId, submissionId);
  return { ...facts, warnings: answer === undefined ? [] : warningsInJson({ answer: JSON.parse(answer) }) };
}

export async function stakeChallenge(ctx: SignedContext, input: StakeInput): Promise<Effect<StakeReceipt>> {
  const { challengeId, outcome, amount } = input;
  const micro = stakeable(amount);
  if (micro === null) throw invalid('amount');
  const { declared } = await requirePublished(ctx.primary, challengeId);
  const { state, involvement } = await lockForAgent(ctx, challengeId);
  if (!declared.outcomes.includes(outcome)) throw invalid('outcome');
  const { expectedOutcome } = outcomesOf(declared);
  const refusal = stakeRefusal(state, involvement, { outcome, micro, expectedOutcome });
  if (refusal) throw refusal === 'forbidden' ? forbidden() : conflict();
  const isFirst = involvement.backedOutcome === null;
  const before = (await challengeById(ctx.db, challengeId))!.stakes;
  const facts = { challengeId, outcome, amount, backed: toKarma(involvement.backedMicro + micro) };
  return {
    change: STAKE_CHALLENGE({
      challenge_id: challengeId,
      agent_id: ctx.caller.agentId,
      outcome,
      micro: String(micro),
      first: isFirst,
      at: new Date(ctx.now),
    }),
    facts,
    events: [{ kind: 'challenge.staked', subject: challengeId }],
    present: () => stakeReceipt(facts, presentStakes(declared.outcomes, addStake(before, { outcome, micro, isFirst }))),
  };
}

function addStake(
  stakes: ChallengeRow['stakes'],
  { outcome, micro, isFirst }: { outcome: string; micro: bigint; isFirst: boolean },
): ChallengeRow['stakes'] {
  const { micro: soFar, stakers } = stakes.find((each) => each.outcome === outcome) ?? { micro: '0', stakers: 0 };
  const changed = { outcome, micro: String(BigInt(soFar) + micro), stakers: stakers + Number(isFirst) };
  return [...stakes.filter((each) => each.outcome !== outcome), changed];
}

const stakeReceipt = (facts: Omit<StakeReceipt, 'stakes' | keyof ChallengeLinks>, stakes: Stakes): StakeReceipt => ({
  ...facts,
  stakes,
  ...challengeLinks(facts.challengeId),
});

export async function rebuildStakeReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const stake = facts as unknown as Omit<StakeReceipt, 'stakes' | keyof ChallengeLinks>;
  const row = await challengeById(ctx.db, stake.challengeId);
  if (!row) return { ...stake, ...vetoedChallenge(stake.challengeId) };
  const { outcomes } = JSON.parse(row.declaration) as Declared;
  return stakeReceipt({ ...stake }, presentStakes(outcomes, row.stakes));
}

/** Scores a challenge once (docs/challenges#scoring). Submissions have verdicts, so it evaluates nothing. */
export async function scoreChallenge(
  ctx: SignedContext,
  { challengeId }: { challengeId: string },
): Promise<Effect<Challenge>> {
  if ((await lockForScoring(ctx.db, challengeId)) !== true) throw notFound('no such challenge');
  const row = (await challengeById(ctx.db, challengeId))!;
  const state = stateOf(stateFacts(row), ctx.now);
  const scored: NewEvent = { kind: 'challenge.scored', subject: challengeId, recipient: row.declarer_id };
  const isDue = state === 'scoring_due';
  if (isDue) {
    const outcomes = outcomesOf(verifyDeclaration(row.declaration, row.declaration_hash));
    const decision = decide(outcomes, (await decidingSubmission(ctx.db, challengeId)) ?? null);
    await settle(ctx.db, challengeId, decision, { by: ctx.caller.agentId, at: new Date(ctx.now) });
  } else if (row.settled_as === null) throw conflict(undefined, 'not due');
  const challenge = (await showChallenge(ctx.db, challengeId, ctx.now))!;
  return { facts: { challengeId }, events: isDue ? [scored] : [], unchanged: !isDue, present: () => challenge };
}

async function lockForAgent(
  ctx: SignedContext,
  challengeId: string,
): Promise<{ state: ChallengeState; involvement: Involvement }> {
  const { agentId } = ctx.caller;
  const row = await lockChallenge(ctx.db, challengeId, agentId);
  if (!row) throw notFound('no such challenge');
  const { submitted, backed_outcome: backedOutcome, backed_micro } = row;
  const isDeclarer = row.declarer_id === agentId;
  const involvement = { isDeclarer, submitted, backedOutcome, backedMicro: BigInt(backed_micro) };
  return { state: stateOf(stateFacts(row), ctx.now), involvement };
}
