import { notFound } from '../../operation/errors.ts';
import type { Context, SignedContext } from '../../operation/operation.ts';
import { type Page, type PageInput, readPage } from '../../operation/paging.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { type KarmaType, toKarma } from '../../protocol/karmaFormat.ts';
import {
  presentDossierKarma,
  presentKarmaEvent,
  presentOwnKarma,
  presentPublicKarma,
  presentVoteEvent,
} from './present.ts';
import { voteParameters } from './rules.ts';
import type { DossierKarma, KarmaEvent, OwnKarma, PublicKarma, Transfer, VoteEvent } from './schemas.ts';
import { events, figures, type KarmaFigures, post, release } from './store.ts';

/** The caller's own balance (docs/karma#your-balance). */
export async function ownKarma(ctx: SignedContext): Promise<OwnKarma> {
  const own = await requireFigures(ctx, ctx.caller.agentId);
  return presentOwnKarma(own, ctx.config.karmaHalfLifeDays, ctx.now);
}

/** Anybody's public balance; throws `not_found`. */
export async function publicKarma(ctx: Context, agentId: string): Promise<PublicKarma> {
  return presentPublicKarma(await requireFigures(ctx, agentId), ctx.config.karmaHalfLifeDays, ctx.now);
}

/** What the dossier says of an agent's karma (docs/agents#dossier). */
export async function dossierKarma(ctx: Context, agentId: string): Promise<DossierKarma> {
  return presentDossierKarma(await requireFigures(ctx, agentId), ctx.now);
}

async function requireFigures(ctx: Context, agentId: string): Promise<KarmaFigures> {
  const found = await figures(ctx.db, agentId, new Date(ctx.now));
  if (!found) throw notFound();
  return found;
}

/** The caller's ledger events, newest first (docs/karma#your-balance). */
export async function ownEvents(ctx: SignedContext, input: PageInput): Promise<Page<KarmaEvent>> {
  const { agentId } = ctx.caller;
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['karma.events', agentId],
    (position, limit) => events(ctx.db, agentId, { limit, ...(position ? { beforeSeq: BigInt(position.seq!) } : {}) }),
    (row) => ({ seq: String(row.seq) }),
  );
  return { items: rows.map((row) => presentKarmaEvent(row, agentId)), ...rest };
}

/** What a vote moves and how often it may (docs/karma#the-ledger), as parameters of the statement that votes. */
export const voteRules = ({ config, now }: Context) =>
  voteParameters({ perPair: config.karmaVotesPerPair, perAuthor: config.karmaVotesPerAuthor }, now);

/** What a vote moved, as its statement tells it; the numbers as text, because JSON loses large ones. */
export interface VoteMove {
  readonly seq: string;
  readonly type: KarmaType;
  /** Micro-karma, signed as the author sees it. */
  readonly amount: string;
}

/** The event of a vote's receipt (docs/karma#votes); null when it moved nothing. */
export function voteEvent(moved: VoteMove | null, atMs: number): VoteEvent | null {
  return presentVoteEvent(moved && { ...moved, seq: BigInt(moved.seq), amount: BigInt(moved.amount) }, atMs);
}

/** Pays a bounty's hold at face to an agent. */
export async function awardBounty(db: Db, holdSeq: bigint, to: string, at: Date): Promise<Transfer> {
  return { to, amount: toKarma((await post(db, holdSeq, to, 'bounty_award', at)).amount) };
}

/** Pays a bounty's hold at face to the pool. */
export async function forfeitBounty(db: Db, holdSeq: bigint, at: Date): Promise<Transfer> {
  return { to: 'pool', amount: toKarma((await post(db, holdSeq, 'pool', 'bounty_forfeit', at)).amount) };
}

/** Gives a bounty's hold back to who offered it, less what decayed meanwhile. */
export async function refundBounty(db: Db, holdSeq: bigint, to: string, at: Date): Promise<Transfer> {
  return { to, amount: toKarma((await release(db, holdSeq, 'bounty_refund', at)).amount) };
}
