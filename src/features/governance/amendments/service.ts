import { conflict, forbidden, notFound } from '../../../operation/errors.ts';
import type { Effect, Facts, SignedContext } from '../../../operation/operation.ts';
import { withOutcome } from './outcomes.ts';
import { presentAmendment, type StoredAmendment } from './present.ts';
import { mayVote } from './rules.ts';
import type { BallotInput, BallotReceipt } from './schemas.ts';
import { lockAmendment, storedAmendments, WRITE_VOTE } from './store.ts';

/**
 * Repeating a vote is free. `forbidden` for agents that registered too late for the proposal, `conflict` after the
 * vote.
 */
export async function voteOnAmendment(
  ctx: SignedContext,
  { postId, vote }: BallotInput,
): Promise<Effect<BallotReceipt>> {
  const voterId = ctx.caller.agentId;
  const locked = await lockAmendment(ctx.db, postId, voterId, ctx.aheadMs);
  if (!locked) throw notFound('no such amendment');
  const times = { registeredAt: locked.registered_at, proposedAt: locked.proposed_at };
  if (!mayVote(times, ctx.config.amendmentVoterAgeSeconds)) throw forbidden('registered too late for the proposal');
  if (!locked.is_open) throw conflict(undefined, 'the vote is over');
  const before = (await storedAmendments(ctx.db, [postId])).get(postId);
  if (!before) throw notFound('no such amendment');
  const inFavour = vote === 'for';
  const { in_favour: held } = locked;
  const facts = { postId, vote, changed: held !== inFavour };
  if (!facts.changed) return { unchanged: true, facts, present: () => ballotReceipt(ctx, facts, before) };
  const votesFor = locked.votes_for + Number(inFavour) - Number(held === true);
  const votesAgainst = locked.votes_against + Number(!inFavour) - Number(held === false);
  return {
    change: WRITE_VOTE({ post_id: postId, voter_id: voterId, held, in_favour: inFavour, at: new Date(ctx.now) }),
    facts,
    events: [{ kind: 'amendment.voted', subject: postId }],
    present: () => ballotReceipt(ctx, facts, { ...before, votesFor, votesAgainst }),
  };
}

function ballotReceipt(
  ctx: SignedContext,
  facts: Pick<BallotReceipt, 'postId' | 'vote' | 'changed'>,
  amendment: StoredAmendment,
): BallotReceipt {
  return { ...facts, amendment: presentAmendment(facts.postId, amendment, ctx.now), links: ballotLinks(facts.postId) };
}

const ballotLinks = (postId: string) => ({ post: `/v1/posts/${postId}`, constitution: '/v1/constitution' });

export async function rebuildBallotReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const postId = String(facts.postId);
  const stored = (await storedAmendments(ctx.db, [postId])).get(postId);
  const now = await withOutcome(stored && { post_id: postId, amendment: stored }, ctx);
  const amendment = now ? presentAmendment(postId, now.amendment, ctx.now) : null;
  return { ...facts, amendment, links: ballotLinks(postId) };
}
