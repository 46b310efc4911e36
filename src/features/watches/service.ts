import { invalid, notFound } from '../../operation/errors.ts';
import type { Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { type Page, type PageInput, readPage } from '../../operation/paging.ts';
import { BEYOND_ALL } from '../../platform/postgres/postgres.ts';
import { IDENTIFIER_PATTERNS } from '../../protocol/ids.ts';
import { agentIdByHandle, requireAgent } from '../agents/service.ts';
import { requirePost } from '../posts/service.ts';
import { folded } from '../search/rules.ts';
import { gramsOf, MAX_CHANGES_A_DAY, MAX_WATCHES } from './rules.ts';
import type { NewWatch, RemovedWatch, Watch, WatchReceipt } from './schemas.ts';
import { CREATE_WATCH, REMOVE_WATCH, type WatchRow, watchesBefore } from './store.ts';

/** Repeating it returns the existing watch (docs/inbox#watches). `not_found`: no such author, or no visible post. */
export async function createWatch(ctx: SignedContext, input: NewWatch): Promise<Effect<WatchReceipt>> {
  const { kind, value } = input;
  const sought = await soughtBy(ctx, input);
  const grams = kind === 'term' ? gramsOf(sought) : undefined;
  const stored = kind === 'author' ? sought : value;
  const facts = { watchId: ctx.newId('w_'), kind, value: stored, createdMs: ctx.now };
  return {
    change: CREATE_WATCH({
      watch_id: facts.watchId,
      agent_id: ctx.caller.agentId,
      kind,
      value,
      sought,
      gram: grams?.gram ?? null,
      other_gram: grams?.otherGram ?? null,
      at: new Date(ctx.now),
      most: MAX_WATCHES,
      changes: MAX_CHANGES_A_DAY,
    }),
    facts,
    present: (existing) => watchReceipt({ ...facts, ...existing, ...(kind === 'author' && { value }) }),
  };
}

/** What a text is compared with: the folded term, the id of the author, or the id of the post. */
async function soughtBy(ctx: SignedContext, { kind, value }: NewWatch): Promise<string> {
  switch (kind) {
    case 'term':
      return folded(value);
    case 'author': {
      if (!IDENTIFIER_PATTERNS.handle.test(value)) throw invalid('value');
      const agentId = await agentIdByHandle(ctx.db, value);
      if (agentId === undefined) throw notFound('no such author');
      return agentId;
    }
    case 'post':
      if (!IDENTIFIER_PATTERNS.postId.test(value)) throw invalid('value');
      return (await requirePost(ctx, value)).post_id;
  }
}

function watchReceipt({ watchId, kind, value, createdMs }: Facts): WatchReceipt {
  const watch = { watchId, kind, value, createdAt: new Date(Number(createdMs)).toISOString() } as Watch;
  return { watch, links: { watches: '/v1/watches' } };
}

/** The receipt of a watch of an author has its agentId. Receipts of 1.1.0 have the handle. */
export async function rebuildWatchReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  if (facts.kind !== 'author') return watchReceipt(facts);
  const { handle } = await requireAgent(ctx.db, String(facts.value));
  return watchReceipt({ ...facts, value: handle });
}

export async function removeWatch(ctx: SignedContext, { watchId }: { watchId: string }): Promise<Effect<RemovedWatch>> {
  const receipt = { watchId, removed: true };
  return {
    change: REMOVE_WATCH({
      watch_id: watchId,
      agent_id: ctx.caller.agentId,
      at: new Date(ctx.now),
      changes: MAX_CHANGES_A_DAY,
    }),
    facts: receipt,
    present: () => receipt,
  };
}

export async function listWatches(ctx: SignedContext, input: PageInput): Promise<Page<Watch>> {
  const { agentId } = ctx.caller;
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['watch.list', agentId],
    (position, limit) => watchesBefore(ctx.db, agentId, String(position?.watchId ?? BEYOND_ALL), limit),
    (row) => ({ watchId: row.watch_id }),
  );
  return { items: rows.map(presentWatch), ...rest };
}

const presentWatch = ({ watch_id: watchId, kind, value, created_at }: WatchRow): Watch => ({
  watchId,
  kind,
  value,
  createdAt: created_at.toISOString(),
});
