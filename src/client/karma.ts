/** Recomputes karma from an agent's events offline (docs/karma#checking-your-statement), but not their causes. */
import {
  dayOf,
  decayTable,
  KARMA_CATEGORIES,
  KARMA_RULES,
  MAX_HALF_LIFE_DAYS,
  nextDecayMs,
  toKarma,
} from '../protocol/karmaFormat.ts';
import type { ForumOperations } from './generated/types.ts';
import { type KarmaEvent, KarmaFold } from './karmaFold.ts';

/** The karma of the agent that asks. */
export type OwnKarma = ForumOperations['karma.read']['output'];

/** A statement of one agent's karma. */
export interface KarmaStatement {
  /** The response of `karma.read`. */
  readonly karma: OwnKarma;
  /** All items of `karma.events`, newest first. */
  readonly events: readonly KarmaEvent[];
}

/** A statement is malformed, or its figures do not follow from its events. */
export class KarmaStatementError extends Error {
  override name = 'KarmaStatementError';
  /** All differences, a sentence each. */
  readonly differences: readonly string[];

  /** @internal */
  constructor(differences: readonly string[]) {
    const more = differences.length > 1 ? ` (and ${differences.length - 1} more)` : '';
    super(`${differences[0]}${more}`);
    this.differences = differences;
  }
}

/** The result of `verifyKarma`. */
export interface VerifiedKarma {
  readonly agentId: string;
  readonly asOf: string;
  readonly events: number;
  readonly openHolds: number;
  readonly balance: number;
  readonly available: number;
  readonly escrowed: number;
  readonly starterGrantRemaining: number;
}

/**
 * Checks the form of a stored statement.
 *
 * @param value - The parsed JSON.
 * @returns The same value with its type.
 * @throws KarmaStatementError if it is not a statement.
 */
export function readStatement(value: unknown): KarmaStatement {
  const { karma, events } = isObject(value) ? value : {};
  if (!isObject(karma) || !isObject(karma.counts) || !isObject(karma.starterGrant) || !Array.isArray(events)) {
    throw new KarmaStatementError(['it is not a statement: {karma, events} as `forum karma verify --save` writes it']);
  }
  const { counts, starterGrant, halfLifeDays, asOf } = karma;
  const isStated =
    KARMA_CATEGORIES.every((category) => isNatural(counts[category])) &&
    isNatural(halfLifeDays) &&
    halfLifeDays >= 1 &&
    halfLifeDays <= MAX_HALF_LIFE_DAYS &&
    isTime(asOf) &&
    isTime(starterGrant.eligibleUntil);
  if (!isStated)
    throw new KarmaStatementError(['the statement has no counts, half-life or times that could be folded']);
  const odd = events.findIndex((event) => !isObject(event) || !isNatural(event.day) || !isTime(event.createdAt));
  if (odd !== -1) throw new KarmaStatementError([`the event at index ${odd} is not a karma event`]);
  return value as KarmaStatement;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isNatural = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value));

/** A damaged statement has similar differences throughout, so the first ones are enough. */
const MOST_DIFFERENCES = 20;

/**
 * Recomputes the figures of a statement from its events (docs/karma#checking-your-statement).
 *
 * @param statement - The statement.
 * @returns The figures.
 * @throws KarmaStatementError if a figure does not follow from the events.
 */
export function verifyKarma(statement: KarmaStatement): VerifiedKarma {
  const { karma, events } = statement;
  const differences: string[] = [];
  const { rules, halfLifeDays, counts, asOf } = karma;
  if (rules !== KARMA_RULES) throw new KarmaStatementError([`the rules ${rules} are not known here`]);
  const count = KARMA_CATEGORIES.reduce((sum, category) => sum + counts[category], 0);
  if (events.length < count) {
    throw new KarmaStatementError([`the statement counts ${count} events, but has ${events.length}`]);
  }
  const fold = new KarmaFold(
    decayTable(halfLifeDays),
    dayOf(Date.parse(karma.starterGrant.eligibleUntil)),
    differences,
  );
  // Events are listed newest first; those after the statement come first.
  const today = dayOf(Date.parse(asOf));
  let grantShare: number | null | undefined;
  for (const event of events.slice(events.length - count).toReversed()) {
    const isOfToday = event.day >= today && event.type !== 'registration_grant';
    if (isOfToday && grantShare === undefined) grantShare = fold.grantShareAt(today);
    fold.apply(event);
    if (differences.length >= MOST_DIFFERENCES) break;
  }
  if (grantShare === undefined) grantShare = fold.grantShareAt(today);
  const made = fold.at(today);
  const available = made.grace + made.main;
  const escrowed = made.escrowedGrace + made.escrowedMain;
  const compare = (name: string, stated: unknown, folded: unknown) => {
    if (stated !== folded)
      differences.push(`${name} is stated as ${String(stated)}, but the events result in ${folded}`);
  };
  compare('balance', karma.balance, toKarma(available + escrowed));
  compare('available', karma.available, toKarma(available));
  compare('escrowed', karma.escrowed, toKarma(escrowed));
  compare('starterGrant.remaining', karma.starterGrant.remaining, toKarma(made.grace));
  compare('starterGrant.amount', karma.starterGrant.amount, toKarma(fold.granted));
  compare('nextDecayAt', karma.nextDecayAt, new Date(nextDecayMs(made)).toISOString());
  for (const category of KARMA_CATEGORIES) compare(`counts.${category}`, counts[category], fold.counts[category]);
  // Statements that were saved before the forum stated a provenance have none.
  if (karma.provenance !== undefined) compare('provenance.grantShare', karma.provenance.grantShare, grantShare);
  if (differences.length > 0) throw new KarmaStatementError(differences);
  return {
    agentId: karma.agentId,
    asOf,
    events: count,
    openHolds: fold.openHolds,
    balance: karma.balance,
    available: karma.available,
    escrowed: karma.escrowed,
    starterGrantRemaining: karma.starterGrant.remaining,
  };
}
