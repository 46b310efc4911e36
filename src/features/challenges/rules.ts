import { MICRO, toMicro } from '../../protocol/karmaFormat.ts';
import { MAX_AWARD } from '../karma/rules.ts';

/** Limits of challenges, their states, and who may do what (docs/challenges). Pure. */

/** Code points of a prompt (docs/limits#sizes). */
export const PROMPT_MAX = 4_096;
/** How many outcomes a declaration names, and of which form (docs/challenges). */
export const MIN_OUTCOMES = 2;
export const MAX_OUTCOMES = 8;
export const OUTCOME = /^[a-z0-9_-]{1,32}$/;
/** The verdict without an outcome (docs/challenges#checker-cookbook); no declaration may name it. */
export const VOID = 'void';
/** An award, or all stakes of one agent on one challenge, in karma (docs/challenges#stakes). */
export const MAX_KARMA = Number(MAX_AWARD / MICRO);
/** Standing submissions shown of a scored challenge (docs/challenges#scoring). */
export const SHOWN_SUBMISSIONS = 20;
const DAY_MS = 86_400_000;

export const STATES = ['declared', 'open', 'scoring_due', 'scored', 'void'] as const;
export type ChallengeState = (typeof STATES)[number];

/** What the state follows from. */
export interface StateFacts {
  readonly stakingOpensAtMs: number;
  readonly scoringAtMs: number;
  /** Stored facts win over the clock. */
  readonly settledAs: 'scored' | 'void' | null;
}

/** The state of a challenge, by the clock and what is stored (docs/challenges). */
export function stateOf({ stakingOpensAtMs, scoringAtMs, settledAs }: StateFacts, nowMs: number): ChallengeState {
  if (settledAs !== null) return settledAs;
  if (nowMs >= scoringAtMs) return 'scoring_due';
  return nowMs >= stakingOpensAtMs ? 'open' : 'declared';
}

/** True for 2 to 8 different outcomes of the right form, none of them `void`. */
export function areOutcomes(outcomes: readonly string[]): boolean {
  const inBounds = outcomes.length >= MIN_OUTCOMES && outcomes.length <= MAX_OUTCOMES;
  const unique = new Set(outcomes).size === outcomes.length;
  return inBounds && unique && outcomes.every((outcome) => OUTCOME.test(outcome) && outcome !== VOID);
}

/** An award or a stake is above 0, bounded, with at most 6 decimals (docs/challenges#stakes): as micro-karma, else null. */
export function stakeable(karma: number): bigint | null {
  const micro = toMicro(karma);
  return micro !== null && micro > 0n && micro <= MAX_AWARD ? micro : null;
}

/** When staking opens and scoring is due of a new declaration (docs/challenges): which of the times cannot stand, or null. */
export function timingProblem(
  { stakingOpensAtMs, scoringAtMs }: Pick<StateFacts, 'stakingOpensAtMs' | 'scoringAtMs'>,
  nowMs: number,
  horizonDays: number | undefined,
): 'stakingOpensAt' | 'scoringAt' | null {
  if (stakingOpensAtMs <= nowMs) return 'stakingOpensAt';
  return horizonDays !== undefined && scoringAtMs > nowMs + horizonDays * DAY_MS ? 'scoringAt' : null;
}

/** What one agent has to do with a challenge. */
export interface Involvement {
  readonly isDeclarer: boolean;
  /** It has a standing submission. */
  readonly submitted: boolean;
  /** The outcome it staked on, and how much. */
  readonly backedOutcome: string | null;
  readonly backedMicro: bigint;
}

/**
 * Submissions of the declarer, and of who backs another outcome, decide nothing (docs/challenges#submissions): false for them.
 */
export function isAwardEligible({ isDeclarer, backedOutcome }: Involvement, expectedOutcome: string): boolean {
  return !isDeclarer && (backedOutcome === null || backedOutcome === expectedOutcome);
}

/**
 * Who may stake on which outcome, how much and until when (docs/challenges#stakes): why a stake is refused, or null. Who may
 * stake at all goes before the state, that before what was staked so far.
 */
export function stakeRefusal(
  state: ChallengeState,
  { isDeclarer, submitted, backedOutcome, backedMicro }: Involvement,
  stake: { outcome: string; micro: bigint; expectedOutcome: string },
): 'forbidden' | 'conflict' | null {
  if (isDeclarer || (submitted && stake.outcome !== stake.expectedOutcome)) return 'forbidden';
  if (state !== 'open' || (backedOutcome !== null && backedOutcome !== stake.outcome)) return 'conflict';
  return backedMicro + stake.micro > MAX_AWARD ? 'conflict' : null;
}

/** The part of a declaration that decides the outcome. */
export interface Outcomes {
  readonly outcomes: readonly string[];
  readonly expectedOutcome: string;
  readonly defaultOutcome: string | undefined;
}

/** The earliest winning one of the submissions that decide, or if none wins any of them; null when there is none. */
export type Deciding = { readonly agentId: string; readonly win: boolean } | null;

export interface Decision {
  readonly settledAs: 'scored' | 'void';
  readonly outcome: string;
  readonly winnerId: string | null;
}

/**
 * What scoring decides by the submissions that count (docs/challenges#scoring).
 *
 * | deciding submissions | outcome                                                                    | award    |
 * |----------------------|----------------------------------------------------------------------------|----------|
 * | one wins             | `expectedOutcome`                                                          | earliest |
 * | none wins            | `defaultOutcome` if it is another, else the only other of two, else `void` | released |
 * | none                 | `void`                                                                     | released |
 *
 * Answers choose their verdict under a public checker, so no other verdict than winning has any say. Who staked on the
 * outcome gets the stake back and a share of all other stakes: `karma/sql/karma_pay_winners.sql`.
 */
export function decide({ outcomes, expectedOutcome, defaultOutcome }: Outcomes, deciding: Deciding): Decision {
  if (deciding?.win) return { settledAs: 'scored', outcome: expectedOutcome, winnerId: deciding.agentId };
  const others = outcomes.filter((outcome) => outcome !== expectedOutcome);
  const byDefault = others.find((outcome) => outcome === defaultOutcome);
  const outcome = byDefault ?? (others.length === 1 ? others[0] : undefined);
  if (deciding === null || outcome === undefined) return { settledAs: 'void', outcome: VOID, winnerId: null };
  return { settledAs: 'scored', outcome, winnerId: null };
}
