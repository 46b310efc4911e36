import { categoryOf, KARMA_RULES, type KarmaType, kindOf, nextDecayMs, toKarma } from '../../protocol/karmaFormat.ts';
import { presentProvenance, type StoredProvenance } from './provenance.ts';
import type { DossierKarma, KarmaEvent, OwnKarma, PublicKarma, VoteEvent } from './schemas.ts';
import type { KarmaEventRow, KarmaFigures, KarmaRow } from './store.ts';

/** The figures of an agent at one moment, and where its karma came from. */
export interface KarmaWithProvenance {
  readonly figures: KarmaFigures;
  readonly provenance: StoredProvenance;
}

/** The public balance (docs/karma#your-balance). The figures are rolled to `nowMs`. */
export function presentPublicKarma(
  { figures, provenance }: KarmaWithProvenance,
  halfLifeDays: number,
  nowMs: number,
): PublicKarma {
  const available = figures.grace + figures.main;
  const escrowed = figures.escrowedGrace + figures.escrowedMain;
  return {
    agentId: figures.agentId,
    rules: KARMA_RULES,
    balance: toKarma(available + escrowed),
    available: toKarma(available),
    escrowed: toKarma(escrowed),
    halfLifeDays,
    nextDecayAt: new Date(nextDecayMs(figures)).toISOString(),
    provenance: presentProvenance(provenance),
    asOf: new Date(nowMs).toISOString(),
  };
}

export function presentOwnKarma(karma: KarmaWithProvenance, halfLifeDays: number, nowMs: number): OwnKarma {
  const { figures } = karma;
  return {
    ...presentPublicKarma(karma, halfLifeDays, nowMs),
    starterGrant: {
      amount: toKarma(figures.grantAmount),
      remaining: toKarma(figures.grace),
      eligibleUntil: figures.eligibleUntil.toISOString(),
    },
    counts: { ...figures.events },
  };
}

export function presentDossierKarma({ figures, provenance }: KarmaWithProvenance, nowMs: number): DossierKarma {
  const balance = figures.grace + figures.main + figures.escrowedGrace + figures.escrowedMain;
  return {
    balance: toKarma(balance),
    provenance: presentProvenance(provenance),
    asOf: new Date(nowMs).toISOString(),
    counts: { ...figures.events },
  };
}

/** `amount` changes available karma (for the payer of an award 0), `escrowed` the holds (docs/karma#your-balance). */
export function presentKarmaEvent(row: KarmaEventRow, agentId: string): KarmaEvent {
  const { amount, escrowed } = changesFor(row, agentId);
  return {
    eventId: karmaEventId(row.seq, row.at.getTime(), sideOf(row, agentId)),
    type: row.type,
    category: categoryOf(row.type),
    amount: toKarma(amount),
    escrowed: toKarma(escrowed),
    createdAt: row.at.toISOString(),
    reference: row.reference,
    day: row.day,
    holdEventId: holdEventId(row, agentId),
  };
}

/** Only the owner of a hold has an event of it; the owner is on both sides of the row. */
function holdEventId({ from, holdSeq, heldAt }: KarmaEventRow, agentId: string): string | null {
  if (holdSeq === null || heldAt === null || from !== agentId) return null;
  return karmaEventId(holdSeq, heldAt.getTime(), 'to');
}

function changesFor(row: KarmaEventRow, agentId: string): { amount: bigint; escrowed: bigint } {
  switch (kindOf(row.type)) {
    case 'hold':
      return { amount: -row.amount, escrowed: row.amount };
    case 'release':
      return { amount: row.amount, escrowed: -(row.holdAmount ?? 0n) };
    case 'post':
      return row.to === agentId ? { amount: row.amount, escrowed: 0n } : { amount: 0n, escrowed: -row.amount };
    default:
      return { amount: row.to === agentId ? row.amount : -row.amount, escrowed: 0n };
  }
}

function sideOf(row: KarmaRow, agentId: string): 'from' | 'to' {
  return row.to === agentId ? 'to' : 'from';
}

/**
 * Karma that a vote moved, signed as the author sees it. Its statement returns text, because JSON numbers lose
 * precision.
 */
export interface VoteMove {
  readonly seq: bigint | string;
  readonly type: KarmaType;
  /** Micro-karma. */
  readonly amount: bigint | string;
}

/**
 * `karmaEvent` of a vote receipt (docs/karma#votes): the event that the author sees; null if the vote moved nothing.
 */
export function presentVoteEvent(moved: VoteMove | null, atMs: number): VoteEvent | null {
  if (!moved) return null;
  const amount = BigInt(moved.amount);
  const eventId = karmaEventId(BigInt(moved.seq), atMs, amount < 0n ? 'from' : 'to');
  return { eventId, type: moved.type, amount: toKarma(amount) };
}

const TIME_CHARACTERS = 10;
const REST_CHARACTERS = 15;
const REST_SPACE = 36n ** 15n;
/** Coprime to 36, so that multiplying by it is reversible, and large, so that neighbouring numbers differ a lot. */
const SPREAD = 136_790_423_771_405_934_926_131n;

/** `ke_`, 10 characters of time, 15 others. A row between two agents has a different id for each of them. */
export function karmaEventId(seq: bigint, atMs: number, side: 'from' | 'to'): string {
  const number = 2n * seq + (side === 'to' ? 1n : 0n);
  const rest = ((number * SPREAD) % REST_SPACE).toString(36).padStart(REST_CHARACTERS, '0');
  return `ke_${atMs.toString(36).padStart(TIME_CHARACTERS, '0')}${rest}`;
}
