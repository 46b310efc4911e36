import { notFound } from '../../operation/errors.ts';
import type { Context, SignedContext } from '../../operation/operation.ts';
import { type Page, type PageInput, readPage } from '../../operation/paging.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { toKarma } from '../../protocol/karmaFormat.ts';
import {
  type KarmaWithProvenance,
  presentDossierKarma,
  presentKarmaEvent,
  presentOwnKarma,
  presentPublicKarma,
} from './present.ts';
import { provenanceAt } from './provenance.ts';
import { voteParameters } from './rules.ts';
import type { DossierKarma, KarmaEvent, OwnKarma, PublicKarma, Transfer } from './schemas.ts';
import { events, figures, post, release } from './store.ts';

export async function ownKarma(ctx: SignedContext): Promise<OwnKarma> {
  const own = await requireKarma(ctx, ctx.caller.agentId);
  return presentOwnKarma(own, ctx.config.karmaHalfLifeDays, ctx.now);
}

export async function publicKarma(ctx: Context, agentId: string): Promise<PublicKarma> {
  return presentPublicKarma(await requireKarma(ctx, agentId), ctx.config.karmaHalfLifeDays, ctx.now);
}

export async function dossierKarma(ctx: Context, agentId: string): Promise<DossierKarma> {
  return presentDossierKarma(await requireKarma(ctx, agentId), ctx.now);
}

async function requireKarma(ctx: Context, agentId: string): Promise<KarmaWithProvenance> {
  const at = new Date(ctx.now);
  const [found, provenance] = await Promise.all([figures(ctx.db, agentId, at), provenanceAt(ctx.db, agentId, at)]);
  if (!found || !provenance) throw notFound();
  return { figures: found, provenance };
}

/** The balance now in micro-karma, and the last day on which the starter grant does not decay. */
export async function balanceAndGrace(ctx: Context, agentId: string): Promise<{ balance: bigint; graceDay: number }> {
  const found = await figures(ctx.db, agentId, new Date(ctx.now));
  if (!found) throw notFound();
  const { grace, main, escrowedGrace, escrowedMain, graceDay } = found;
  return { balance: grace + main + escrowedGrace + escrowedMain, graceDay };
}

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

/** The parameters of a vote's statement that limit and measure the karma it moves (docs/karma#the-ledger). */
export const voteRules = ({ config, now }: Context) =>
  voteParameters(
    {
      perPair: config.karmaVotesPerPair,
      perAuthor: config.karmaVotesPerAuthor,
      voterAgeSeconds: config.karmaVoterAgeSeconds,
    },
    now,
  );

export async function awardBounty(db: Db, holdSeq: bigint, to: string, at: Date): Promise<Transfer> {
  return { to, amount: toKarma((await post(db, holdSeq, to, 'bounty_award', at)).amount) };
}

export async function forfeitBounty(db: Db, holdSeq: bigint, at: Date): Promise<Transfer> {
  return { to: 'pool', amount: toKarma((await post(db, holdSeq, 'pool', 'bounty_forfeit', at)).amount) };
}

/** Returns the hold of a bounty to the asker, less its decay. */
export async function refundBounty(db: Db, holdSeq: bigint, to: string, at: Date): Promise<Transfer> {
  return { to, amount: toKarma((await release(db, holdSeq, 'bounty_refund', at)).amount) };
}
