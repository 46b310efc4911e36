/** The arithmetic of karma (`svc-karma-v0`, docs/karma#the-ledger) in integers of micro-karma and whole UTC days. */

export const KARMA_RULES = 'svc-karma-v0';
/** One karma in micro-karma, the unit of every bigint amount. */
export const MICRO = 1_000_000n;
export const DAY_MS = 86_400_000;

/** The scale of decay factors; `karma_decay.sql` uses the same. */
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

/** The category of an event type in the counts of a dossier (docs/karma#your-balance). */
export function categoryOf(type: KarmaType): KarmaCategory {
  if (EARNED.has(type)) return 'earned';
  return ADJUSTMENT.has(type) ? 'adjustment' : 'staked';
}

/** The UTC day number of a time in Unix milliseconds. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** `factors` are T[0..halfLifeDays - 1]. */
export interface DecayTable {
  readonly halfLifeDays: number;
  readonly factors: readonly bigint[];
}

export const MAX_HALF_LIFE_DAYS = 365;

const tables = new Map<number, DecayTable>();

/** T[r], r in 0..H-1: the greatest integer t with t^H * 2^r <= 10^(18 H); H is 1 to 365 (docs/karma#your-balance). */
export function decayTable(halfLifeDays: number): DecayTable {
  if (!Number.isInteger(halfLifeDays) || halfLifeDays < 1 || halfLifeDays > MAX_HALF_LIFE_DAYS) {
    throw new RangeError(`halfLifeDays is an integer in 1..${MAX_HALF_LIFE_DAYS}`);
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
  // The double is exact to about 2 in 10^16. One Newton step makes it exact to a unit, and the loops decide.
  let t = BigInt(Math.round(1e18 * 2 ** (-remainder / halfLifeDays)));
  const slope = t ** (power - 1n);
  t -= (slope * t - bound) / (power * slope);
  while (t ** power > bound) t -= 1n;
  while ((t + 1n) ** power <= bound) t += 1n;
  return t;
}

/**
 * Returns what is left of `amount` (>= 0) after `days` whole UTC days (docs/karma#your-balance); all of it if `days` <=
 * 0.
 */
export function decay(amount: bigint, days: number, { halfLifeDays, factors }: DecayTable): bigint {
  if (days <= 0) return amount;
  const halvings = BigInt(Math.floor(days / halfLifeDays));
  return (amount * factors[days % halfLifeDays]!) / (SCALE << halvings);
}

export interface KarmaAccount {
  readonly graceDay: number;
  readonly grace: bigint;
  readonly main: bigint;
  readonly mainDay: number;
  readonly decayed: bigint;
}

/** Decays an account to `day`; an earlier day than `mainDay` changes nothing (docs/karma#the-ledger). */
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

/** `day` is the day on which the hold was taken. */
export interface HoldParts {
  readonly fromGrace: bigint;
  readonly fromMain: bigint;
  readonly day: number;
}

/** Takes a hold from a decayed account: grace first, then main. Null if less than `amount` is available. */
export function splitHold(
  account: KarmaAccount,
  amount: bigint,
): { readonly fromGrace: bigint; readonly fromMain: bigint } | null {
  if (amount > account.grace + account.main) return null;
  const fromGrace = smaller(account.grace, amount);
  return { fromGrace, fromMain: amount - fromGrace };
}

/**
 * Returns what a release on `day` returns to the grant and to main; the rest has decayed (docs/karma#the-ledger).
 */
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

/** Takes a negative adjustment: main first, then grace, at most what is available (docs/karma#the-ledger). */
export function splitAdjustment(
  account: KarmaAccount,
  amount: bigint,
): { readonly fromGrace: bigint; readonly fromMain: bigint } {
  const fromMain = smaller(account.main, amount);
  return { fromMain, fromGrace: smaller(account.grace, amount - fromMain) };
}

export interface RolledKarma {
  readonly graceDay: number;
  readonly day: number;
  readonly grace: bigint;
  readonly main: bigint;
  /** What releasing every open hold would return to the grant and to main. */
  readonly escrowedGrace: bigint;
  readonly escrowedMain: bigint;
}

/** The next UTC midnight at which something decays. While there is only the starter grant, the end of its grace. */
export function nextDecayMs({ grace, main, escrowedGrace, escrowedMain, day, graceDay }: RolledKarma): number {
  const onlyGrant = main + escrowedMain === 0n && grace + escrowedGrace > 0n;
  return ((onlyGrant ? Math.max(day, graceDay) : day) + 1) * DAY_MS;
}

/** Above this, neighbouring doubles are more than a micro-karma apart. */
const MAX_EXACT_MICRO = 4_000_000_000_000_000n;

/** A JSON number with at most 6 decimals. Throws RangeError above 4 * 10^9 karma, where doubles are coarser. */
export function toKarma(micro: bigint): number {
  if (micro > MAX_EXACT_MICRO || micro < -MAX_EXACT_MICRO) throw new RangeError('too much karma for a JSON number');
  return Number(micro) / 1e6;
}

/** Converts a JSON number of karma. Null if it has more than 6 decimals or is out of range. */
export function toMicro(karma: number): bigint | null {
  const micro = Math.round(karma * 1e6);
  if (!Number.isSafeInteger(micro) || micro / 1e6 !== karma) return null;
  return BigInt(micro);
}

/** Shares have four decimals. */
const SHARE_UNITS = 10_000n;

/** `part` of `whole`, rounded to four decimals. Null if `whole` is 0. */
export function shareOf(part: bigint, whole: bigint): number | null {
  if (whole <= 0n) return null;
  return Number((2n * part * SHARE_UNITS + whole) / (2n * whole)) / Number(SHARE_UNITS);
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
