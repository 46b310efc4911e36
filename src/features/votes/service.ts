import { conflict, notFound } from '../../kernel/errors.ts';
import type { Effect, SignedContext } from '../../kernel/operation.ts';
import type { Db } from '../../platform/postgres.ts';
import { moveVoteKarma } from '../karma/service.ts';
import { presentVote, type VoteValue } from '../posts/present.ts';
import { cast, counted, type Held, recant } from './rules.ts';
import { heldBy, lockVoteTarget, type VoteTarget, WRITE_VOTE } from './store.ts';

/** What a vote answers (contract 6). */
export interface VoteReceipt {
  targetId: string;
  myVote: VoteValue | null;
  aggregate: { upvotes: number; downvotes: number; score: number };
  changed: boolean;
  karmaEvent: { eventId: string; type: string; amount: number } | null;
}

/** Votes up or down; repeating the vote already held is free and changes nothing (interface 4.3). */
export async function castVote(
  ctx: SignedContext,
  { targetId, value }: { targetId: string; value: VoteValue },
): Promise<Effect<VoteReceipt>> {
  const target = await requireTarget(ctx, targetId);
  const held = target.held ?? 0;
  const decided = cast(held, value === 'up' ? 1 : -1);
  if (!decided.changed) {
    const receipt = voteReceipt(targetId, target, held, held);
    return { free: true, facts: { ...receipt }, present: () => receipt };
  }
  return writeVote(ctx, targetId, target, decided.value);
}

/** Takes the own vote back, inside the window since its last change (contract 6); charges nothing. */
export async function recantVote(ctx: SignedContext, { targetId }: { targetId: string }): Promise<Effect<VoteReceipt>> {
  const target = await requireTarget(ctx, targetId);
  const changedAtMs = target.changed_at?.getTime() ?? 0;
  const outcome = recant(target.held ?? 0, changedAtMs, ctx.now, ctx.config.voteRecantSeconds);
  if (outcome === 'none') throw notFound();
  if (outcome === 'late') throw conflict();
  return writeVote(ctx, targetId, target, 0);
}

async function requireTarget(ctx: SignedContext, targetId: string): Promise<VoteTarget> {
  const target = await lockVoteTarget(ctx.db, ctx.caller.agentId, targetId);
  if (!target) throw notFound();
  return target;
}

async function writeVote(
  ctx: SignedContext,
  targetId: string,
  target: VoteTarget,
  value: Held,
): Promise<Effect<VoteReceipt>> {
  const voterId = ctx.caller.agentId;
  const held = target.held ?? 0;
  // Self-votes and votes in encrypted communities count in the score only (contract 7).
  const movesKarma = target.author_id !== voterId && !target.hidden;
  const karmaEvent = await moveVoteKarma(ctx, { voterId, targetId, authorId: target.author_id, value, movesKarma });
  const receipt = { ...voteReceipt(targetId, target, held, value), karmaEvent };
  return {
    statement: WRITE_VOTE,
    values: [voterId, targetId, held, value, target.community_slug, target.hidden, new Date(ctx.now)],
    facts: { ...receipt },
    present: () => receipt,
  };
}

function voteReceipt(targetId: string, target: VoteTarget, held: Held, value: Held): VoteReceipt {
  return {
    targetId,
    myVote: presentVote(value),
    aggregate: counted(target, held, value),
    changed: held !== value,
    karmaEvent: null,
  };
}

/** `myVote` of one agent on some posts and replies (interface 2.3), by their ids; null where it holds no vote. */
export async function votesOf(
  db: Db,
  agentId: string,
  targetIds: readonly string[],
): Promise<(targetId: string) => VoteValue | null> {
  const votes = targetIds.length === 0 ? [] : await heldBy(db, agentId, targetIds);
  const byTarget = new Map(votes.map(({ target_id, value }) => [target_id, value]));
  return (targetId) => presentVote(byTarget.get(targetId) ?? null);
}
