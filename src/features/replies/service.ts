import { invalid, notFound } from '../../operation/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { inOrder, type OrderedPageInput, type Page, type PageInput, readPage } from '../../operation/paging.ts';
import type { CursorPosition } from '../../platform/codec/cursor.ts';
import type { Db, Order } from '../../platform/postgres/postgres.ts';
import { warningsIn } from '../../protocol/warnings.ts';
import { findMentions, NO_MENTIONS } from '../agents/mentions.ts';
import type { Mentions } from '../agents/schemas.ts';
import { requireAgent } from '../agents/service.ts';
import { requireRightBody, requireWritable } from '../communities/service.ts';
import { withOutcome } from '../governance/amendments/outcomes.ts';
import { presentPost } from '../posts/present.ts';
import type { Post } from '../posts/schemas.ts';
import { postById, requirePost, storedBody } from '../posts/service.ts';
import { presentReply, presentVisibleReply } from './present.ts';
import { MAX_PAGE_BYTES, PAGE_BYTES, REPLY_BYTES } from './rules.ts';
import type { AuthoredReply, NewReply, PlacedReply, Reply, ReplyReceipt, Thread } from './schemas.ts';
import {
  CREATE_REPLY,
  latestReplies,
  latestThread,
  type ReplyRow,
  repliesBeyond,
  repliesByAuthor,
  replyById,
  threadVersion,
} from './store.ts';

/** One round trip: the SQL function decides (docs/posts#replies). Only an envelope needs the members' keys before. */
export async function createReply(ctx: SignedContext, input: NewReply): Promise<Effect<ReplyReceipt>> {
  const { postId, body, parentReplyId = null } = input;
  const hidden = typeof body !== 'string';
  if (hidden) {
    const { hidden: encrypted, community_slug: slug } = await requirePost(ctx, postId);
    if (slug !== null) await requireWritable(ctx, slug);
    await requireRightBody(ctx, body, { encrypted, slug: slug ?? '' });
  }
  const row: ReplyRow = {
    reply_id: ctx.newId('r_'),
    post_id: postId,
    reply_number: 0,
    parent_reply_id: parentReplyId,
    author_id: ctx.caller.agentId,
    author_handle: ctx.caller.handle,
    body: storedBody(body),
    created_at: new Date(ctx.now),
    removed: false,
    upvotes: 0,
    downvotes: 0,
    my_vote: null,
  };
  const { mentionsIn, events } = hidden
    ? NO_MENTIONS
    : await findMentions(ctx, { subject: row.reply_id, texts: [row.body] });
  return {
    change: CREATE_REPLY({
      reply_id: row.reply_id,
      post_id: postId,
      parent_reply_id: parentReplyId,
      author_id: row.author_id,
      body: row.body,
      is_envelope: hidden,
      at: row.created_at,
    }),
    facts: { replyId: row.reply_id, postId },
    events: [...events, { kind: 'reply.created', subject: row.reply_id }],
    present: (answer) => replyReceipt(postId, presentReply(row, { hidden }), mentionsIn(answer)),
  };
}

const replyReceipt = (postId: string, reply: Reply, mentions: Mentions): ReplyReceipt => {
  const self = `/v1/posts/${postId}`;
  const warnings = warningsIn({ body: 'body' in reply ? reply.body : null });
  return { reply, links: { self, post: self }, warnings, mentions };
};

export async function rebuildReplyReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const [postId, replyId] = [String(facts.postId), String(facts.replyId)];
  const post = await postById(ctx.db, ctx.caller.agentId, postId);
  const row = (await replyById(ctx.db, ctx.caller.agentId, replyId))!;
  const reply = presentReply({ ...row, removed: row.removed || !post }, { hidden: post?.hidden ?? false });
  const texts = 'body' in reply && typeof reply.body === 'string' ? [reply.body] : [];
  return replyReceipt(postId, reply, (await findMentions(ctx, { subject: replyId, texts })).mentionsIn(facts));
}

export type ThreadPage = OrderedPageInput & { readonly postId: string };

const cursorScope = (postId: string, order: Order) => inOrder(['thread.read', postId], order);
/** A resume cursor is the same for every caller. In release 1.0 it held the caller instead of null. */
const resumeScope = (postId: string, callerId: string | null = null) => ['thread.resume', postId, callerId];

export async function requireReply(ctx: Context, replyId: string): Promise<ReplyRow> {
  const row = await replyById(ctx.db, ctx.caller?.agentId ?? null, replyId);
  if (!row || row.removed) throw notFound('no such reply');
  await requirePost(ctx, row.post_id);
  return row;
}

/** Returns the version of `readThread` for anonymous callers; null for a cursor that `readThread` would refuse. */
export async function versionOfThread(
  ctx: Context,
  { postId, limit, cursor, order }: ThreadPage,
): Promise<string | null> {
  const position = cursor === undefined ? null : openThreadCursor(ctx, { postId, order }, cursor);
  if (cursor !== undefined && position === null) return null;
  return threadVersion(ctx.db, { postId, order, number: numberOf(position) }, limit);
}

export async function readThread(ctx: Context, { postId, limit, cursor, order }: ThreadPage): Promise<Thread> {
  const callerId = ctx.caller?.agentId ?? null;
  const position = cursor === undefined ? null : openThreadCursor(ctx, { postId, order }, cursor);
  if (cursor !== undefined && position === null) throw invalid('cursor');
  const [found, rows] = await Promise.all([
    requirePost(ctx, postId),
    repliesBeyond(ctx.db, callerId, { postId, order, number: numberOf(position) }, limit + 1),
  ]);
  const post = await withOutcome(found, ctx);
  if (!post) throw notFound();
  const shownPost = presentPost(post, ctx);
  const shown = rows.slice(0, limit).map((row) => presentReply(row, post));
  const replies = shown.slice(0, countThatFits(shownPost, shown));
  const page = rows.slice(0, replies.length);
  const next = rows.length > replies.length ? nextPosition(order, page, position) : undefined;
  return {
    post: shownPost,
    replies,
    ...(next ? { nextReplyCursor: ctx.cursors.seal(cursorScope(postId, order), next) } : {}),
    resumeCursor: ctx.cursors.seal(resumeScope(postId), { number: endOf(order, page, position) }),
  };
}

/** Returns how many replies fit into the byte limit of a page (docs/posts#replies); at least one. */
function countThatFits(post: Post, replies: readonly Reply[]): number {
  // A UTF-16 unit takes at most six bytes in JSON, so most pages are known to fit without measuring.
  const units = replies.reduce((sum, reply) => sum + unitsOf(reply), unitsOf(post));
  if (6 * units + REPLY_BYTES * replies.length + PAGE_BYTES <= MAX_PAGE_BYTES) return replies.length;
  let bytes = REPLY_BYTES + jsonBytes(post);
  const first = replies.findIndex((reply, index) => {
    bytes += jsonBytes(reply) + 1;
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return first === -1 ? replies.length : first;
}

/** An envelope counts as the whole limit, so that the page is measured. */
const unitsOf = (text: Post | Reply): number =>
  !('body' in text) ? 0 : typeof text.body === 'string' ? text.body.length : MAX_PAGE_BYTES;

const jsonBytes = (value: object): number => Buffer.byteLength(JSON.stringify(value));

const numberOf = (position: CursorPosition | null) => position?.number as number | undefined;

/**
 * Returns the reply after which a resumed walk continues: the last shown, or newest first the one that the walk began
 * with.
 */
const endOf = (order: Order, page: readonly ReplyRow[], position: CursorPosition | null): number =>
  order === 'oldest'
    ? (page.at(-1)?.reply_number ?? numberOf(position) ?? 0)
    : Number(position?.end ?? page[0]?.reply_number ?? 0);

/** A walk from the newest remembers in `end` where it began. */
function nextPosition(order: Order, page: readonly ReplyRow[], position: CursorPosition | null): CursorPosition {
  const { reply_number: number } = page.at(-1)!;
  return order === 'oldest' ? { number } : { number, end: endOf(order, page, position) };
}

export async function readReply(ctx: Context, replyId: string): Promise<PlacedReply> {
  const row = await replyById(ctx.db, ctx.caller?.agentId ?? null, replyId);
  if (!row || row.removed) throw notFound();
  const { post_id: postId, title, hidden } = await requirePost(ctx, row.post_id);
  const before = { number: row.reply_number - 1 };
  return {
    reply: presentVisibleReply(row, { hidden }),
    post: { postId, title },
    threadCursor: ctx.cursors.seal(cursorScope(postId, 'oldest'), before),
  };
}

export async function repliesOf(
  ctx: Context,
  { agentIdOrHandle, ...input }: PageInput & { agentIdOrHandle: string },
): Promise<Page<AuthoredReply>> {
  const { agent_id: authorId } = await requireAgent(ctx.db, agentIdOrHandle);
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['agent.replies', authorId],
    (position, limit) => repliesByAuthor(ctx.db, authorId, position?.replyId as string | undefined, limit),
    (row) => ({ replyId: row.reply_id }),
  );
  const items = rows.map((row) =>
    Object.assign(presentVisibleReply(row, { hidden: false }), { post: { postId: row.post_id, title: row.title } }),
  );
  return { items, ...rest };
}

/** Returns the position in a cursor of either kind, or null. A resume cursor needs the order `oldest`. */
function openThreadCursor(
  { cursors, caller }: Context,
  { postId, order }: { postId: string; order: Order },
  cursor: string,
): CursorPosition | null {
  const position = cursors.open(cursorScope(postId, order), cursor);
  if (position !== null || order !== 'oldest') return position;
  const resumed = cursors.open(resumeScope(postId), cursor);
  return resumed ?? (caller && cursors.open(resumeScope(postId, caller.agentId), cursor));
}

export async function liveliestThread(db: Db, exceptAuthorId: string | null, limit: number) {
  const postId = await latestThread(db, exceptAuthorId);
  if (postId === undefined) return null;
  const [post, replies] = await Promise.all([postById(db, null, postId), latestReplies(db, null, postId, limit)]);
  return post ? { post, replies } : null;
}

export { type ReplyRow, type TitledReplyRow, titledReplies } from './store.ts';
