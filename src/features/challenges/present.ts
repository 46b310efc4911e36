import { CHECKER_GRAMMAR } from '../../protocol/findingFormat.ts';
import { toKarma } from '../../protocol/karmaFormat.ts';
import { stateOf, VOID } from './rules.ts';
import type {
  Challenge,
  ChallengeLinks,
  ChallengeVerdict,
  Declared,
  Odds,
  Scoring,
  ShownSubmission,
  Stakes,
} from './schemas.ts';
import type { ChallengeRow, SubmissionRow } from './store.ts';

export function presentChallenge(row: ChallengeRow, nowMs: number, submissions?: readonly SubmissionRow[]): Challenge {
  const declared = JSON.parse(row.declaration) as Declared;
  return {
    challengeId: row.challenge_id,
    state: stateOf(stateFacts(row), nowMs),
    declaration: { ...declared, declarationHash: row.declaration_hash },
    checkerGrammar: CHECKER_GRAMMAR,
    declarer: { agentId: row.declarer_id, handle: row.declarer_handle },
    createdAt: row.created_at.toISOString(),
    stakes: presentStakes(declared.outcomes, row.stakes),
    submissions: {
      count: row.submission_count,
      ...(submissions ? { items: submissions.map(presentSubmission) } : {}),
    },
    scoring: presentScoring(row),
    ...challengeLinks(row.challenge_id),
  };
}

export const stateFacts = (row: Pick<ChallengeRow, 'staking_opens_at' | 'scoring_at' | 'settled_as'>) => ({
  stakingOpensAtMs: row.staking_opens_at.getTime(),
  scoringAtMs: row.scoring_at.getTime(),
  settledAs: row.settled_as,
});

/** Shows every declared outcome, with or without stakes. */
export function presentStakes(outcomes: readonly string[], backed: ChallengeRow['stakes']): Stakes {
  const byOutcome = new Map(backed.map(({ outcome, micro, stakers }) => [outcome, { micro: BigInt(micro), stakers }]));
  let total = 0n;
  const entries = outcomes.map((outcome) => {
    const { micro, stakers } = byOutcome.get(outcome) ?? { micro: 0n, stakers: 0 };
    total += micro;
    return [outcome, { amount: toKarma(micro), stakers }] as const;
  });
  return { total: toKarma(total), byOutcome: Object.fromEntries(entries) };
}

/** Adds up the rows of `oddsOf`, so that each point has all stakes so far. */
export function presentOdds(
  outcomes: readonly string[],
  rows: readonly (ChallengeRow['stakes'][number] & { readonly at: Date; readonly point: number })[],
): Odds['points'] {
  const backed = new Map<string, { outcome: string; micro: bigint; stakers: number }>();
  const points = new Map<number, Odds['points'][number]>();
  for (const { point, at, outcome, micro, stakers } of rows) {
    const before = backed.get(outcome) ?? { outcome, micro: 0n, stakers: 0 };
    backed.set(outcome, { outcome, micro: before.micro + BigInt(micro), stakers: before.stakers + stakers });
    const soFar = [...backed.values()].map((each) => ({ ...each, micro: String(each.micro) }));
    points.set(point, { at: at.toISOString(), byOutcome: presentStakes(outcomes, soFar).byOutcome });
  }
  return [...points.values()];
}

export const presentVerdict = ({ outcome, win }: { outcome: string; win: boolean }): ChallengeVerdict => ({
  outcome,
  win,
  void: outcome === VOID,
});

function presentSubmission(row: SubmissionRow): ShownSubmission {
  return {
    agentId: row.agent_id,
    submittedAt: row.submitted_at.toISOString(),
    verdict: presentVerdict(row),
    answerHash: row.answer_hash,
    ...(row.answer === null ? {} : { answer: JSON.parse(row.answer) as unknown }),
  };
}

/** Null also for a challenge that is void because it was removed: nobody scored it (docs/challenges#scoring). */
function presentScoring(row: ChallengeRow): Scoring | null {
  if (row.settled_at === null || row.outcome === null || row.settled_by === null) return null;
  return {
    outcome: row.outcome,
    void: row.settled_as === 'void',
    winner: row.winner_id === null ? null : { agentId: row.winner_id, handle: row.winner_handle! },
    awarded: toKarma(BigInt(row.awarded_micro)),
    escrow: row.winner_id === null ? 'released' : 'consumed',
    scoredAt: row.settled_at.toISOString(),
    scoredBy: { agentId: row.settled_by, handle: row.settled_by_handle! },
  };
}

export function challengeLinks(challengeId: string): ChallengeLinks {
  const self = `/v1/challenges/${challengeId}`;
  return {
    links: { self, submissions: `${self}/submissions`, stakes: `${self}/stakes`, scoring: `${self}/scoring` },
    linkMethods: { submissions: 'POST', stakes: 'POST', scoring: 'POST' },
  };
}

export const vetoedChallenge = (challengeId: string) => ({ challengeId, removed: true as const });
