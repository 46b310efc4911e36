import { hashOfText } from '../../formats/canonicalJson.ts';
import { newId } from '../../formats/ids.ts';
import { conflict, forbidden, invalid, notFound } from '../../kernel/errors.ts';
import type { Effect, Facts, SignedContext } from '../../kernel/operation.ts';
import { type AmendmentSummary, presentAmendment, type StoredAmendment } from '../posts/amendment.ts';
import { withOutcome } from '../posts/outcomes.ts';
import { presentPost } from '../posts/present.ts';
import {
  decidePost,
  type PostReceipt,
  postCreated,
  postReceipt,
  postSeenBy,
  postValues,
  requirePost,
} from '../posts/service.ts';
import { constitutionReference } from './constitution.ts';
import { CREATE_AMENDMENT, lockAmendment, settleAmendments, WRITE_VOTE } from './store.ts';

export interface Proposal {
  title: string;
  body: string;
  proposedText: string;
  baseHash: string;
}

/**
 * Proposes another text for the constitution, as a post on the timeline (contract 11). Throws `conflict` on `baseHash`
 * unless it is the present one, `invalid_request` on `proposedText` when that would change nothing.
 */
export async function proposeAmendment(ctx: SignedContext, input: Proposal): Promise<Effect<PostReceipt>> {
  const { title, body, proposedText, baseHash } = input;
  const post = await decidePost(ctx, { title, body }, 'post');
  const proposedHash = hashOfText(proposedText);
  await settleAmendments(ctx.db, new Date(ctx.now));
  const current = await constitutionReference(ctx);
  if (proposedHash === current.hash) throw invalid('proposedText');
  if (baseHash !== current.hash) throw conflict('baseHash');

  const closesAtMs = ctx.now + ctx.config.amendmentVotingSeconds * 1_000;
  const closesAt = new Date(closesAtMs);
  const amendment: StoredAmendment = {
    state: 'voting',
    baseHash,
    proposedHash,
    votesFor: 0,
    votesAgainst: 0,
    closesAt: closesAt.toISOString(),
    resolvedAt: null,
    outcome: null,
  };
  const { version: baseVersion } = current;
  const { amendmentQuorum: quorum } = ctx.config;
  const eventIds = [newId('gov_', closesAtMs), ctx.newId('gov_')];
  return {
    statement: CREATE_AMENDMENT,
    values: [...postValues(post), baseVersion, baseHash, proposedHash, proposedText, quorum, closesAt, ...eventIds],
    facts: { postId: post.post_id },
    events: [postCreated(post)],
    present: () => postReceipt(post.post_id, presentPost({ ...post, amendment }, ctx)),
  };
}

export type Ballot = 'for' | 'against';

export interface BallotReceipt {
  postId: string;
  vote: Ballot;
  /** False when the same vote was held already; that is free. */
  changed: boolean;
  amendment: AmendmentSummary;
  links: { post: string; constitution: string };
}

/**
 * Votes on an amendment, or changes the vote, until it closes (contract 11). Throws `not_found`, `forbidden` for agents
 * that were not registered before the proposal, `conflict` when it is not under vote. Repeating a vote is free.
 */
export async function voteOnAmendment(
  ctx: SignedContext,
  { postId, vote }: { postId: string; vote: Ballot },
): Promise<Effect<BallotReceipt>> {
  const voterId = ctx.caller.agentId;
  const locked = await lockAmendment(ctx.db, { postId, voterId, aheadMs: ctx.aheadMs });
  if (!locked) throw notFound('no such amendment');
  if (!locked.eligible) throw forbidden('registered after the proposal');
  if (!locked.is_open) throw conflict(undefined, 'the vote is over');
  const { amendment } = await requirePost(ctx, postId);
  // It is under vote, whatever the clock of this process says.
  const before = { ...amendment!, outcome: null };
  const inFavour = vote === 'for';
  const { in_favour: held } = locked;
  const facts = { postId, vote, changed: held !== inFavour };
  if (!facts.changed) return { free: true, facts, present: () => ballotReceipt(ctx, facts, before) };
  const votesFor = locked.votes_for + Number(inFavour) - Number(held === true);
  const votesAgainst = locked.votes_against + Number(!inFavour) - Number(held === false);
  return {
    statement: WRITE_VOTE,
    values: [postId, voterId, held, inFavour, new Date(ctx.now)],
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

/** The receipt with the amendment as it is now; null when its post was removed since. */
export async function rebuildBallotReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const postId = String(facts.postId);
  const post = await withOutcome(await postSeenBy(ctx.db, ctx.caller.agentId, postId), ctx);
  const amendment = post?.amendment ? presentAmendment(postId, post.amendment, ctx.now) : null;
  return { ...facts, amendment, links: ballotLinks(postId) };
}
