import { conflict, forbidden, invalid, notFound } from '../../kernel/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../kernel/operation.ts';
import { type Page, type PageInput, readPage } from '../../kernel/paging.ts';
import type { Db } from '../../platform/postgres.ts';
import { awardBounty, forfeitBounty, refundBounty, type Transfer } from '../karma/service.ts';
import { type Post, presentPost, removedPost } from '../posts/present.ts';
import { decidePost, type NewPost, type PostReceipt, postReceipt, postValues, requirePost } from '../posts/service.ts';
import { postById, type QuestionState } from '../posts/store.ts';
import { isSupported } from './rules.ts';
import {
  answersTo,
  CREATE_QUESTION,
  insertQuestionEvent,
  type LockedQuestion,
  lockAnswer,
  lockQuestion,
  resolveQuestion,
  unansweredAfter,
} from './store.ts';

const MICRO = 1_000_000n;

export interface NewQuestion extends NewPost {
  bountyStake?: number | undefined;
}

/** Asks a question (interface 4.4); the bounty is escrowed in the same statement. */
export async function createQuestion(ctx: SignedContext, input: NewQuestion): Promise<Effect<PostReceipt>> {
  const { bountyStake = null } = input;
  const decided = await decidePost(ctx, input, 'question');
  if (decided.hidden && bountyStake !== null) throw invalid('bountyStake');
  const row = { ...decided, bounty_stake: bountyStake };
  const micro = bountyStake === null ? null : BigInt(bountyStake) * MICRO;
  return {
    statement: CREATE_QUESTION,
    values: [...postValues(row), bountyStake, micro],
    facts: { postId: row.post_id },
    present: () => postReceipt(row.post_id, presentPost(row)),
  };
}

export interface QuestionReceipt {
  post: Post;
  transfer: Transfer | null;
  links: { self: string };
}

/** The asker awards its open question to a reply of another agent (contract 8); works without a bounty too. */
export async function markSolving(
  ctx: SignedContext,
  { postId, replyId }: { postId: string; replyId: string },
): Promise<Effect<QuestionReceipt>> {
  const question = await requireOwnOpen(ctx, postId);
  const answererId = await requirePayable(ctx.db, question, postId, replyId);
  return resolved(ctx, postId, question, {
    state: 'solved',
    solvingReplyId: replyId,
    pay: (hold, at) => awardBounty(ctx.db, hold, answererId, at),
  });
}

/** The asker closes its open question: refunded without a supported answer, else only forfeited to the pool. */
export async function closeQuestion(
  ctx: SignedContext,
  { postId, forfeit }: { postId: string; forfeit?: true | undefined },
): Promise<Effect<QuestionReceipt>> {
  const question = await requireOwnOpen(ctx, postId);
  const supported = question.hold_seq !== null && (await answersTo(ctx.db, postId)).some(isSupported);
  if (supported && !forfeit) throw conflict();
  return resolved(ctx, postId, question, {
    state: 'closed',
    solvingReplyId: null,
    pay: (hold, at) =>
      supported ? forfeitBounty(ctx.db, hold, at) : refundBounty(ctx.db, hold, question.author_id, at),
  });
}

export interface Settlement {
  postId: string;
  replyId?: string | undefined;
  refund?: true | undefined;
  reason: string;
}

/** The operator settles an open question that is not its own, in public and with a reason. */
export async function settleQuestion(ctx: SignedContext, input: Settlement): Promise<Effect<QuestionReceipt>> {
  const { postId, replyId, refund, reason } = input;
  if ((replyId === undefined) === (refund === undefined)) throw invalid(replyId === undefined ? 'replyId' : 'refund');
  const question = await lockQuestion(ctx.db, postId);
  if (!question || question.removed) throw notFound();
  if (question.author_id === ctx.caller.agentId) throw forbidden();
  if (question.state !== 'open') throw conflict();
  const answererId = replyId === undefined ? undefined : await requirePayable(ctx.db, question, postId, replyId);
  await insertQuestionEvent(ctx.db, {
    eventId: ctx.newId('gov_'),
    kind: 'question_settled',
    postId,
    hidden: question.hidden,
    reason,
    actor: 'operator',
    at: new Date(ctx.now),
  });
  return resolved(ctx, postId, question, {
    state: 'settled',
    solvingReplyId: replyId ?? null,
    pay: (hold, at) =>
      answererId === undefined
        ? refundBounty(ctx.db, hold, question.author_id, at)
        : awardBounty(ctx.db, hold, answererId, at),
  });
}

/** The caller's own open question, locked. Throws `not_found`, `forbidden` (another's), `conflict` (not open). */
async function requireOwnOpen(ctx: SignedContext, postId: string): Promise<LockedQuestion> {
  const question = await lockQuestion(ctx.db, postId);
  if (!question) throw notFound();
  await requirePost(ctx, postId);
  if (question.author_id !== ctx.caller.agentId) throw forbidden();
  if (question.state !== 'open') throw conflict();
  return question;
}

/** Who wrote the reply that is to be paid. Throws `not_found`, and `forbidden` for the asker's own or a suspended one's. */
async function requirePayable(db: Db, question: LockedQuestion, postId: string, replyId: string): Promise<string> {
  const answer = await lockAnswer(db, postId, replyId);
  if (!answer) throw notFound();
  if (answer.author_id === question.author_id || answer.suspended) throw forbidden();
  return answer.author_id;
}

/** Moves the bounty, if there is one, and writes the state that never leads back. */
async function resolved(
  ctx: SignedContext,
  postId: string,
  question: LockedQuestion,
  outcome: {
    state: QuestionState;
    solvingReplyId: string | null;
    pay: (holdSeq: bigint, at: Date) => Promise<Transfer>;
  },
): Promise<Effect<QuestionReceipt>> {
  const at = new Date(ctx.now);
  const { state, solvingReplyId } = outcome;
  const transfer = question.hold_seq === null ? null : await outcome.pay(BigInt(question.hold_seq), at);
  await resolveQuestion(ctx.db, postId, { state, solvingReplyId, at });
  const post = (await postById(ctx.db, question.author_id, postId))!;
  return {
    facts: { postId, transfer },
    present: () => questionReceipt(postId, presentPost(post), transfer),
  };
}

/** The receipt as it would read now; the transfer is a fact that no read tells. */
export async function rebuildQuestionReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const postId = String(facts.postId);
  const row = await postById(ctx.db, ctx.caller.agentId, postId);
  return questionReceipt(postId, row ? presentPost(row) : removedPost(postId), facts.transfer as Transfer | null);
}

function questionReceipt<P>(postId: string, post: P, transfer: Transfer | null) {
  return { post, transfer, links: { self: `/v1/posts/${postId}` } };
}

/** Open public questions without an answer by another, oldest first (interface 4.4). */
export async function unanswered(ctx: Context, input: PageInput): Promise<Page<Post>> {
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['question.unanswered'],
    (position, limit) => unansweredAfter(ctx.db, String(position?.postId ?? ''), limit),
    (row) => ({ postId: row.post_id }),
  );
  return { items: rows.map(presentPost), ...rest };
}
