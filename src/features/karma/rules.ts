/**
 * The arithmetic of karma (`svc-karma-v0`, docs/karma#the-ledger): integers of micro-karma and whole UTC days, nothing
 * else. The numbers stand here. The database moves karma under its locks, with the same steps; `verify.ts` and the
 * tests hold the two against each other:
 *
 * | rule                                    | carried out by                                                          |
 * |-----------------------------------------|-------------------------------------------------------------------------|
 * | decay                                   | `sql/karma_decay.sql`, with the factors of `decayTable`                 |
 * | the starter grant's end and its decay   | `sql/karma_roll.sql`; until when it is whole: `agents/rules.ts`         |
 * | what a vote moves, its reversal         | `sql/karma_vote.sql`                                                    |
 * | vote caps                               | `sql/karma_vote_allowed.sql`                                            |
 * | holds: taken, given back, paid          | `sql/karma_hold.sql`, `sql/karma_release_parts.sql`, `sql/karma_post.sql` |
 * | how winners share the stakes of losers  | `sql/karma_pay_winners.sql`, called by `sql/karma_settle_challenge.sql` |
 * | adjustments by the operator             | `sql/karma_adjust.sql`                                                  |
 */

export const KARMA_RULES = 'svc-karma-v0';
/** One karma in micro-karma, the unit of every bigint amount. */
export const MICRO = 1_000_000n;
export const REGISTRATION_GRANT = 40n * MICRO;
/** What one vote moves. */
export const VOTE = MICRO;
/** Escrow of one challenge award, and of all stakes of one agent on one challenge, is at most this. */
export const MAX_AWARD = 50n * MICRO;
export const DAY_MS = 86_400_000;

/** Of the factors of decay; `karma_decay.sql` divides by the same. */
const SCALE = 10n ** 18n;

export const HOLD_TYPES = ['bounty_escrow', 'challenge_escrow', 'stake_escrow'] as const;
export const RELEASE_TYPES = ['bounty_refund', 'challenge_release', 'stake_refund'] as const;
export const POST_TYPES = ['bounty_award', 'bounty_forfeit', 'challenge_consume', 'stake_forfeit'] as const;
export const MOVE_TYPES = [
  'registration_grant',
  'vote_up',
  'vote_down',
  'vote_reversal',
  'challenge_award',
  'stake_payout',
  'enforcement_adjustment',
] as const;

export const KARMA_CATEGORIES = ['earned', 'staked', 'adjustment'] as const;

export type HoldType = (typeof HOLD_TYPES)[number];
export type ReleaseType = (typeof RELEASE_TYPES)[number];
export type PostType = (typeof POST_TYPES)[number];
export type MoveType = (typeof MOVE_TYPES)[number];
export type KarmaType = HoldType | ReleaseType | PostType | MoveType;
export type KarmaKind = 'hold' | 'release' | 'post' | 'move';
export type KarmaCategory = (typeof KARMA_CATEGORIES)[number];

const KINDS = new Map<string, KarmaKind>([
  ...HOLD_TYPES.map((type) => [type, 'hold'] as const),
  ...RELEASE_TYPES.map((type) => [type, 'release'] as const),
  ...POST_TYPES.map((type) => [type, 'post'] as const),
  ...MOVE_TYPES.map((type) => [type, 'move'] as const),
]);

/** How a row of this type moves karma; undefined for an unknown type. */
export function kindOf(type: string): KarmaKind | undefined {
  return KINDS.get(type);
}

const EARNED = new Set<string>([
  'vote_up',
  'vote_down',
  'vote_reversal',
  'bounty_award',
  'challenge_award',
  'stake_payout',
]);
const ADJUSTMENT = new Set<string>(['registration_grant', 'enforcement_adjustment']);

/** The category of an event type, for the dossier's counts (docs/karma#your-balance). */
export function categoryOf(type: KarmaType): KarmaCategory {
  if (EARNED.has(type)) return 'earned';
  return ADJUSTMENT.has(type) ? 'adjustment' : 'staked';
}

/** The UTC day number of a time in unix milliseconds. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** A half-life in days and its factors T[0..H-1]. */
export interface DecayTable {
  readonly halfLifeDays: number;
  readonly factors: readonly bigint[];
}

const tables = new Map<number, DecayTable>();

/**
 * T[r] = the greatest integer t with t^H * 2^r <= 10^(18 H), for r in 0..H-1 (docs/karma#your-balance). `halfLifeDays`
 * is an integer in 1..365, else RangeError. Computed once for each half-life.
 */
export function decayTable(halfLifeDays: number): DecayTable {
  if (!Number.isInteger(halfLifeDays) || halfLifeDays < 1 || halfLifeDays > 365) {
    throw new RangeError('halfLifeDays is an integer in 1..365');
  }
  let table = tables.get(halfLifeDays);
  if (!table) {
    const factors = Array.from({ length: halfLifeDays }, (_, remainder) => decayFactor(halfLifeDays, remainder));
    table = { halfLifeDays, factors };
    tables.set(halfLifeDays, table);
  }
  return table;
}

function decayFactor(halfLifeDays: number, remainder: number): bigint {
  const power = BigInt(halfLifeDays);
  const bound = (SCALE ** power) >> BigInt(remainder);
  // The double is right to about 2 in 10^16; one Newton step makes it right to a unit, and the exact test decides.
  let t = BigInt(Math.round(1e18 * 2 ** (-remainder / halfLifeDays)));
  const slope = t ** (power - 1n);
  t -= (slope * t - bound) / (power * slope);
  while (t ** power > bound) t -= 1n;
  while ((t + 1n) ** power <= bound) t += 1n;
  return t;
}

/**
 * d(x, n): `amount` (>= 0) after `days` whole UTC days; unchanged when `days` is not positive
 * (docs/karma#your-balance).
 */
export function decay(amount: bigint, days: number, { halfLifeDays, factors }: DecayTable): bigint {
  if (days <= 0) return amount;
  const halvings = BigInt(Math.floor(days / halfLifeDays));
  return (amount * factors[days % halfLifeDays]!) / (SCALE << halvings);
}

/** An agent's account as it is stored. */
export interface KarmaAccount {
  readonly graceDay: number;
  readonly grace: bigint;
  readonly main: bigint;
  readonly mainDay: number;
  readonly decayed: bigint;
}

/** The account at `day`; a day before `mainDay` changes nothing (docs/karma#the-ledger). */
export function roll<A extends KarmaAccount>(account: A, day: number, table: DecayTable): A {
  let { grace, main, mainDay } = account;
  if (day > mainDay) {
    main = decay(main, day - mainDay, table);
    mainDay = day;
  }
  if (grace > 0n && mainDay > account.graceDay) {
    main += decay(grace, mainDay - account.graceDay, table);
    grace = 0n;
  }
  const decayed = account.decayed + account.grace + account.main - grace - main;
  return { ...account, grace, main, mainDay, decayed };
}

/** The parts of a hold and the day on which it was taken. */
export interface HoldParts {
  readonly fromGrace: bigint;
  readonly fromMain: bigint;
  readonly day: number;
}

/** How a rolled account pays a hold: grace first, then main; null when less than `amount` is available. */
export function splitHold(
  account: KarmaAccount,
  amount: bigint,
): { readonly fromGrace: bigint; readonly fromMain: bigint } | null {
  if (amount > account.grace + account.main) return null;
  const fromGrace = smaller(account.grace, amount);
  return { fromGrace, fromMain: amount - fromGrace };
}

/** What releasing a hold on `day` gives back to the grant and to main; the rest has decayed (docs/karma#the-ledger). */
export function releaseParts(
  hold: HoldParts,
  graceDay: number,
  day: number,
  table: DecayTable,
): { readonly toGrace: bigint; readonly toMain: bigint } {
  const toMain = decay(hold.fromMain, day - hold.day, table);
  if (day <= graceDay) return { toGrace: hold.fromGrace, toMain };
  return { toGrace: 0n, toMain: toMain + decay(hold.fromGrace, day - graceDay, table) };
}

/**
 * How a rolled account pays a negative adjustment: main, then grace, at most what is available (docs/karma#the-ledger).
 */
export function splitAdjustment(
  account: KarmaAccount,
  amount: bigint,
): { readonly fromGrace: bigint; readonly fromMain: bigint } {
  const fromMain = smaller(account.main, amount);
  return { fromMain, fromGrace: smaller(account.grace, amount - fromMain) };
}

/** How many votes may move an author's karma within `VOTE_CAPS_MS` (docs/karma#votes). */
export interface VoteCaps {
  /** `KARMA_VOTES_PER_PAIR`: of one voter, up or down. */
  readonly perPair: number;
  /** `KARMA_VOTES_PER_AUTHOR`: of all voters, up and down each. */
  readonly perAuthor: number;
}

/** For how long a vote that moved karma counts against the caps. */
export const VOTE_CAPS_MS = DAY_MS;

/** `p_micro` to `p_capped_since` of `cast_vote` and `karma_vote`, for a vote at `nowMs`. */
export const voteParameters = ({ perPair, perAuthor }: VoteCaps, nowMs: number): readonly unknown[] => [
  VOTE,
  perPair,
  perAuthor,
  new Date(nowMs - VOTE_CAPS_MS),
];

/** From here on two neighbouring doubles are further apart than a micro-karma. */
const MAX_EXACT_MICRO = 4_000_000_000_000_000n;

/** Micro-karma as a JSON number with at most 6 decimals; RangeError above 4 * 10^9 karma, where doubles are coarser. */
export function toKarma(micro: bigint): number {
  if (micro > MAX_EXACT_MICRO || micro < -MAX_EXACT_MICRO) throw new RangeError('too much karma for a JSON number');
  return Number(micro) / 1e6;
}

/** A JSON number of karma as micro-karma; null when it has more than 6 decimals or is out of range. */
export function toMicro(karma: number): bigint | null {
  const micro = Math.round(karma * 1e6);
  if (!Number.isSafeInteger(micro) || micro / 1e6 !== karma) return null;
  return BigInt(micro);
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
