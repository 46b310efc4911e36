import { conflict, forbidden, invalid, notFound, Refusal } from '../../operation/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { type OrderedPageInput, type Page, readPage } from '../../operation/paging.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { MICRO } from '../../protocol/karmaFormat.ts';
import type { NewEvent } from '../../recording/events.ts';
import type { Transfer } from '../karma/schemas.ts';
import { awardBounty, forfeitBounty, refundBounty } from '../karma/service.ts';
import { presentPost, removedPost } from '../posts/present.ts';
import type { PostReceipt } from '../posts/schemas.ts';
import {
  decidePost,
  type PostRow,
  placeOf,
  postAsMember,
  postById,
  postReceipt,
  postValues,
  type QuestionState,
  repeatWarnings,
} from '../posts/service.ts';
import { bountyOnClosure } from './rules.ts';
import type { NewQuestion, QuestionReceipt, Settlement, UnansweredQuestion } from './schemas.ts';
import {
  answersTo,
  CREATE_QUESTION,
  insertQuestionEvent,
  type LockedQuestion,
  lockQuestion,
  recountAnswersByAgent,
  recountAnswersByReply,
  resolveQuestion,
  unansweredBeyond,
} from './store.ts';

/** Refused before the ledger's own limit is reached; far more than anybody can have. */
const MOST_KARMA = 2_000_000_000;

/** Escrows the bounty in the same statement (docs/questions). Encrypted communities allow no bounty. */
export async function createQuestion(ctx: SignedContext, input: NewQuestion): Promise<Effect<PostReceipt>> {
  const { bountyStake = null } = input;
  const { row: decided, events, mentionsIn } = await decidePost(ctx, input, 'question');
  if (decided.hidden && bountyStake !== null) throw invalid('bountyStake');
  if (bountyStake !== null && bountyStake > MOST_KARMA) throw new Refusal('insufficient_karma');
  const row = { ...decided, bounty_stake: bountyStake };
  return {
    change: CREATE_QUESTION({
      ...postValues(row),
      bounty_stake: bountyStake,
      bounty_micro: bountyStake === null ? null : String(BigInt(bountyStake) * MICRO),
    }),
    facts: { postId: row.post_id },
    events: [...events, { kind: 'question.asked', subject: row.post_id, place: placeOf(row) }],
    present: (answer, repeated) => postReceipt(presentPost(row, ctx), mentionsIn(answer), repeatWarnings(repeated)),
  };
}

export async function markSolving(
  ctx: SignedContext,
  { postId, replyId }: { postId: string; replyId: string },
): Promise<Effect<QuestionReceipt>> {
  const question = await lockOwn(ctx, postId, replyId);
  const answererId = payable(question);
  requireOpen(question);
  return resolve(ctx, postId, question, {
    state: 'solved',
    solvingReplyId: replyId,
    pay: (hold, at) => awardBounty(ctx.db, hold, answererId, at),
  });
}

export async function closeQuestion(
  ctx: SignedContext,
  { postId, forfeit }: { postId: string; forfeit?: true | undefined },
): Promise<Effect<QuestionReceipt>> {
  const question = await lockOwn(ctx, postId);
  requireOpen(question);
  const answers = question.hold_seq === null ? [] : await answersTo(ctx.db, postId);
  const bounty = bountyOnClosure(answers, forfeit === true);
  if (bounty === 'refused') throw conflict(undefined, 'supported answers');
  return resolve(ctx, postId, question, {
    state: 'closed',
    solvingReplyId: null,
    pay: (hold, at) =>
      bounty === 'forfeited' ? forfeitBounty(ctx.db, hold, at) : refundBounty(ctx.db, hold, question.author_id, at),
  });
}

/** In public and with a reason, even in a community that the operator cannot see (docs/operator#running-it). */
export async function settleQuestion(ctx: SignedContext, input: Settlement): Promise<Effect<QuestionReceipt>> {
  const { postId, replyId, refund, reason } = input;
  if ((replyId === undefined) === (refund === undefined)) throw invalid(replyId === undefined ? 'replyId' : 'refund');
  const question = await lockQuestion(ctx.db, postId, { replyId: replyId ?? null });
  if (!question || question.removed) throw notFound('no such question');
  if (question.author_id === ctx.caller.agentId) throw forbidden("the operator's own question");
  const answererId = replyId === undefined ? undefined : payable(question);
  requireOpen(question);
  const eventId = ctx.newId('gov_');
  const { hidden } = question;
  await insertQuestionEvent(ctx.db, eventId, 'question_settled', postId, hidden, reason, 'operator', new Date(ctx.now));
  return resolve(ctx, postId, question, {
    state: 'settled',
    solvingReplyId: replyId ?? null,
    eventId,
    pay: (hold, at) =>
      answererId === undefined
        ? refundBounty(ctx.db, hold, question.author_id, at)
        : awardBounty(ctx.db, hold, answererId, at),
  });
}

/** Called in the transaction that removes a post, before it does. Restoring does not reopen the question. */
export async function closeRemovedQuestion(db: Db, postId: string, at: Date): Promise<NewEvent[]> {
  const question = await lockQuestion(db, postId);
  if (question?.state !== 'open') return [];
  if (question.hold_seq !== null) await refundBounty(db, BigInt(question.hold_seq), question.author_id, at);
  await resolveQuestion(db, postId, 'closed', null, at);
  return questionResolved(postId, question, null);
}

export function questionResolved(postId: string, question: LockedQuestion, solvingReplyId: string | null): NewEvent[] {
  const place = placeOf(question);
  const resolution: NewEvent = { kind: 'question.resolved', subject: postId, place };
  if (solvingReplyId === null) return [resolution];
  return [resolution, { kind: 'reply.solving', subject: solvingReplyId, place, recipient: question.answerer_id }];
}

/** An answer is a visible reply of an agent that is not suspended (docs/questions). */
export async function answersChanged(db: Db, by: { replyId: string } | { agentId: string }): Promise<void> {
  await ('replyId' in by ? recountAnswersByReply(db, by.replyId) : recountAnswersByAgent(db, by.agentId));
}

/** Throws `not_found`, and `forbidden` for a question of another. */
async function lockOwn(ctx: SignedContext, postId: string, replyId: string | null = null): Promise<LockedQuestion> {
  const callerId = ctx.caller.agentId;
  const question = await lockQuestion(ctx.db, postId, { callerId, replyId });
  if (!question?.visible) throw notFound('no such question');
  if (question.author_id !== callerId) throw forbidden('not the asker');
  return question;
}

/** A question resolves exactly once (docs/questions); later attempts get `conflict`. */
function requireOpen({ state }: LockedQuestion): void {
  if (state !== 'open') throw conflict(undefined, 'not open');
}

/** Throws `not_found`, and `forbidden` for a reply of the asker or of a suspended agent (docs/questions). */
function payable({ author_id, answerer_id, answerer_suspended }: LockedQuestion): string {
  if (answerer_id === null) throw notFound('no such answer');
  if (answerer_id === author_id) throw forbidden('an answer by the asker');
  if (answerer_suspended) throw forbidden('the answerer is suspended');
  return answerer_id;
}

async function resolve(
  ctx: SignedContext,
  postId: string,
  question: LockedQuestion,
  outcome: {
    state: QuestionState;
    solvingReplyId: string | null;
    eventId?: string;
    pay: (holdSeq: bigint, at: Date) => Promise<Transfer>;
  },
): Promise<Effect<QuestionReceipt>> {
  const at = new Date(ctx.now);
  const { state, solvingReplyId, eventId } = outcome;
  const transfer = question.hold_seq === null ? null : await outcome.pay(BigInt(question.hold_seq), at);
  await resolveQuestion(ctx.db, postId, state, solvingReplyId, at);
  const post = (await postActedOn(ctx, postId))!;
  return {
    facts: { postId, askerId: question.author_id, transfer, ...(eventId === undefined ? {} : { eventId }) },
    events: questionResolved(postId, question, solvingReplyId),
    present: () => questionReceipt(postId, presentPost(post, ctx), transfer),
  };
}

export async function rebuildQuestionReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const postId = String(facts.postId);
  const callerId = ctx.caller.agentId;
  const row = await (facts.askerId === callerId ? postById(ctx.db, callerId, postId) : postActedOn(ctx, postId));
  return questionReceipt(postId, row ? presentPost(row, ctx) : removedPost(postId), facts.transfer as Transfer | null);
}

/**
 * Returns the post as the caller sees it, else as a member of its community, because the operator may act on it by id.
 */
async function postActedOn({ db, caller }: SignedContext, postId: string): Promise<PostRow | undefined> {
  return (await postById(db, caller.agentId, postId)) ?? postAsMember(db, postId);
}

function questionReceipt<P>(postId: string, post: P, transfer: Transfer | null) {
  return { post, transfer, links: { self: `/v1/posts/${postId}` } };
}

export async function unanswered(ctx: Context, input: OrderedPageInput): Promise<Page<UnansweredQuestion>> {
  const { order } = input;
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['question.unanswered'],
    (position, limit) => unansweredBeyond(ctx.db, { order, postId: position?.postId as string | undefined }, limit),
    (row) => ({ postId: row.post_id }),
  );
  return { items: rows.map((row) => presentUnanswered(row, ctx)), ...rest };
}

function presentUnanswered(row: PostRow, ctx: Context): UnansweredQuestion {
  const post = presentPost(row, ctx);
  const links = { ...post.links, reply: `/v1/posts/${row.post_id}/replies` };
  return { ...post, links, linkMethods: { reply: 'POST' } };
}

export async function oldestUnanswered(db: Db, exceptAuthorId: string | null): Promise<PostRow | undefined> {
  return (await unansweredBeyond(db, { order: 'oldest', exceptAuthorId }, 1))[0];
}

export { solvedBy, unansweredIn } from './store.ts';
