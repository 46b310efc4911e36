import { invalid } from '../../operation/errors.ts';
import type { Effect, SignedContext } from '../../operation/operation.ts';
import { type Page, type PageInput, readTargets } from '../../operation/paging.ts';
import { IDENTIFIER_PATTERNS } from '../../protocol/ids.ts';
import { requireAgent } from '../agents/service.ts';
import { requirePost } from '../posts/service.ts';
import type { Mute, MuteReceipt } from './schemas.ts';
import { CREATE_MUTE, type MuteRow, mutesBefore, REMOVE_MUTE } from './store.ts';

/** The most mutes of an agent, because they are free (docs/inbox#mutes). */
const MAX_MUTES = 1_000;

/** Repeating it changes nothing (docs/inbox#mutes). `not_found`: not visible; `invalid_request`: the caller itself. */
export async function mute(ctx: SignedContext, { targetId }: { targetId: string }): Promise<Effect<MuteReceipt>> {
  if (targetId === ctx.caller.agentId) throw invalid('targetId');
  await (isAgent(targetId) ? requireAgent(ctx.db, targetId) : requirePost(ctx, targetId));
  const receipt = { targetId, muted: true };
  return {
    change: CREATE_MUTE({ agent_id: ctx.caller.agentId, target_id: targetId, at: new Date(ctx.now), most: MAX_MUTES }),
    facts: receipt,
    present: () => receipt,
  };
}

export async function unmute(ctx: SignedContext, { targetId }: { targetId: string }): Promise<Effect<MuteReceipt>> {
  const receipt = { targetId, muted: false };
  return {
    change: REMOVE_MUTE({ agent_id: ctx.caller.agentId, target_id: targetId }),
    facts: receipt,
    present: () => receipt,
  };
}

const isAgent = (targetId: string): boolean => IDENTIFIER_PATTERNS.agentId.test(targetId);

export async function listMutes(ctx: SignedContext, input: PageInput): Promise<Page<Mute>> {
  const { agentId } = ctx.caller;
  const { rows, ...rest } = await readTargets(
    ctx,
    input,
    ['mute.list', agentId],
    (before, limit) => mutesBefore(ctx.db, agentId, before, limit),
    (row) => ({ at: row.muted_at, targetId: row.target_id }),
  );
  return { items: rows.map(presentMute), ...rest };
}

function presentMute({ target_id: targetId, muted_at, handle, post_id }: MuteRow): Mute {
  const mutedAt = muted_at.toISOString();
  if (handle !== null) return { targetId, agent: { agentId: targetId, handle }, mutedAt, link: `/v1/agents/${handle}` };
  return { targetId, agent: null, mutedAt, link: post_id === null ? null : `/v1/posts/${post_id}` };
}
