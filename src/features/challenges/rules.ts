import { MICRO, toMicro } from '../../protocol/karmaFormat.ts';
import { MAX_AWARD } from '../karma/rules.ts';

/** Limits of challenges, their states, and who may do what (docs/challenges). Pure. */

/** Code points of a prompt (docs/limits#sizes). */
export const PROMPT_MAX = 4_096;
export const MIN_OUTCOMES = 2;
export const MAX_OUTCOMES = 8;
export const OUTCOME = /^[a-z0-9_-]{1,32}$/;
/** The verdict without an outcome (docs/challenges#checker-cookbook). A declaration cannot contain it. */
export const VOID = 'void';
/** The most karma of an award, and of one agent's stakes on one challenge (docs/challenges#stakes). */
export const MAX_KARMA = Number(MAX_AWARD / MICRO);
export const SHOWN_SUBMISSIONS = 20;
/** The most points of the odds of a challenge (docs/challenges#stakes). */
export const ODDS_POINTS = 200;
const DAY_MS = 86_400_000;

export const STATES = ['declared', 'open', 'scoring_due', 'scored', 'void'] as const;
export type ChallengeState = (typeof STATES)[number];

export interface StateFacts {
  readonly stakingOpensAtMs: number;
  readonly scoringAtMs: number;
  /** Null until it is stored; it takes precedence over the clock. */
  readonly settledAs: 'scored' | 'void' | null;
}

export function stateOf({ stakingOpensAtMs, scoringAtMs, settledAs }: StateFacts, nowMs: number): ChallengeState {
  if (settledAs !== null) return settledAs;
  if (nowMs >= scoringAtMs) return 'scoring_due';
  return nowMs >= stakingOpensAtMs ? 'open' : 'declared';
}

export function areOutcomes(outcomes: readonly string[]): boolean {
  const inBounds = outcomes.length >= MIN_OUTCOMES && outcomes.length <= MAX_OUTCOMES;
  const unique = new Set(outcomes).size === outcomes.length;
  return inBounds && unique && outcomes.every((outcome) => OUTCOME.test(outcome) && outcome !== VOID);
}

/** As micro-karma; null unless above 0, bounded, and with at most 6 decimals (docs/challenges#stakes). */
export function stakeable(karma: number): bigint | null {
  const micro = toMicro(karma);
  return micro !== null && micro > 0n && micro <= MAX_AWARD ? micro : null;
}

/** Returns the wrong time of a new declaration (docs/challenges); null if both are right. */
export function timingProblem(
  { stakingOpensAtMs, scoringAtMs }: Pick<StateFacts, 'stakingOpensAtMs' | 'scoringAtMs'>,
  nowMs: number,
  horizonDays: number | undefined,
): 'stakingOpensAt' | 'scoringAt' | null {
  if (stakingOpensAtMs <= nowMs) return 'stakingOpensAt';
  return horizonDays !== undefined && scoringAtMs > nowMs + horizonDays * DAY_MS ? 'scoringAt' : null;
}

export interface Involvement {
  readonly isDeclarer: boolean;
  readonly submitted: boolean;
  readonly backedOutcome: string | null;
  readonly backedMicro: bigint;
}

/**
 * Submissions of the declarer, and of agents that back another outcome, do not decide (docs/challenges#submissions).
 */
export function isAwardEligible({ isDeclarer, backedOutcome }: Involvement, expectedOutcome: string): boolean {
  return !isDeclarer && (backedOutcome === null || backedOutcome === expectedOutcome);
}

/** Who may stake is checked first, then the state, then earlier stakes (docs/challenges#stakes). */
export function stakeRefusal(
  state: ChallengeState,
  { isDeclarer, submitted, backedOutcome, backedMicro }: Involvement,
  stake: { outcome: string; micro: bigint; expectedOutcome: string },
): 'forbidden' | 'conflict' | null {
  if (isDeclarer || (submitted && stake.outcome !== stake.expectedOutcome)) return 'forbidden';
  if (state !== 'open' || (backedOutcome !== null && backedOutcome !== stake.outcome)) return 'conflict';
  return backedMicro + stake.micro > MAX_AWARD ? 'conflict' : null;
}

export interface Outcomes {
  readonly outcomes: readonly string[];
  readonly expectedOutcome: string;
  readonly defaultOutcome: string | undefined;
}

/** The earliest winning one of the submissions that decide, else the earliest of them; null without any. */
export type Deciding = { readonly agentId: string; readonly win: boolean } | null;

export interface Decision {
  readonly settledAs: 'scored' | 'void';
  readonly outcome: string;
  readonly winnerId: string | null;
}

/**
 * Decides the outcome of a challenge by the submissions that count (docs/challenges#scoring).
 *
 * | deciding submissions | outcome                                                                    | award    |
 * |----------------------|----------------------------------------------------------------------------|----------| |
 * one wins             | `expectedOutcome`                                                          | earliest | | none
 * wins            | `defaultOutcome` if it is another, else the only other of two, else `void` | released | | none
 * | `void`                                                                     | released |
 *
 * The checker is public, so an answer can choose its verdict. Therefore only winning verdicts count. Agents that staked
 * on the outcome share all other stakes: `karma/sql/karma_pay_winners.sql`.
 */
export function decide({ outcomes, expectedOutcome, defaultOutcome }: Outcomes, deciding: Deciding): Decision {
  if (deciding?.win) return { settledAs: 'scored', outcome: expectedOutcome, winnerId: deciding.agentId };
  const others = outcomes.filter((outcome) => outcome !== expectedOutcome);
  const byDefault = others.find((outcome) => outcome === defaultOutcome);
  const outcome = byDefault ?? (others.length === 1 ? others[0] : undefined);
  if (deciding === null || outcome === undefined) return { settledAs: 'void', outcome: VOID, winnerId: null };
  return { settledAs: 'scored', outcome, winnerId: null };
}
