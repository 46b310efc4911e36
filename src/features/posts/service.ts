import { invalid, notFound } from '../../operation/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { openCursor, type Page, readPage } from '../../operation/paging.ts';
import type { CursorPosition } from '../../platform/codec/cursor.ts';
import type { FindingDeclaration, FindingParts } from '../../protocol/findingFormat.ts';
import { idFloor } from '../../protocol/ids.ts';
import { stripTitle } from '../../protocol/signing.ts';
import { textOfJson, type Warning, warningsIn, warningsInJson } from '../../protocol/warnings.ts';
import type { NewEvent } from '../../recording/events.ts';
import { findMentions, NO_MENTIONS } from '../agents/mentions.ts';
import type { Mentions } from '../agents/schemas.ts';
import { agentIdByHandle } from '../agents/service.ts';
import type { Envelope } from '../communities/rules.ts';
import { requireRightBody, requireVisibleCommunity, requireWritable } from '../communities/service.ts';
import { checkAttachment, findingValues } from '../findings/attachment.ts';
import { withOutcome, withOutcomes } from '../governance/amendments/outcomes.ts';
import { presentPost, removedPost } from './present.ts';
import { RANKS, type RankedOrder, type RankPosition, rankedPosts, rankedVersion } from './ranks.ts';
import { MOST_RANK_ROUNDS, REPEATS_MS } from './rules.ts';
import type { NewPost, NewPostWithFinding, Post, PostFilter, PostOrder, PostReceipt, PostType } from './schemas.ts';
import {
  CREATE_FINDING,
  CREATE_POST,
  findingPartsOf,
  hasVoted,
  newestPosts,
  newestVersion,
  type PostRow,
  postById,
  repeatedBy,
} from './store.ts';

/** One statement writes post and finding (docs/posts). A finding is checked before anything is locked. */
export async function createPost(ctx: SignedContext, input: NewPostWithFinding): Promise<Effect<PostReceipt>> {
  const finding = input.finding && (await checkAttachment(ctx, input.finding, 'finding.'));
  const { row, events, mentionsIn } = await decidePost(ctx, input, 'post');
  // Encrypted communities take no findings (docs/communities#encrypted-communities).
  if (finding && row.hidden) throw invalid('finding');
  const values = postValues(row);
  const found = finding && { finding_hash: finding.hashes.attachmentHash, finding_outcome: finding.verdict.outcome };
  return {
    change: finding ? CREATE_FINDING({ ...findingValues(finding), ...values }) : CREATE_POST(values),
    facts: { postId: row.post_id },
    events,
    present: (answer, repeated) => {
      const warnings = [...repeatWarnings(repeated), ...(finding ? findingWarnings(finding.texts) : [])];
      return postReceipt(presentPost(found ? { ...row, ...found } : row, ctx), mentionsIn(answer), warnings);
    },
  };
}

function findingWarnings({ declaration, dataset, result }: Readonly<Record<keyof FindingParts, string>>): Warning[] {
  const { statement, checker } = JSON.parse(declaration) as FindingDeclaration;
  return [
    ...warningsIn({ 'finding.statement': statement, 'finding.checker': textOfJson(checker) }),
    ...warningsInJson({ 'finding.dataset': JSON.parse(dataset), 'finding.result': JSON.parse(result) }),
  ];
}

export async function decidePost(ctx: SignedContext, input: NewPost, postType: PostType) {
  const { communitySlug: slug, body } = input;
  const title = stripTitle(input.title)!;
  const place = slug === undefined ? { encrypted: false } : await requireWritable(ctx, slug);
  if (place.encrypted || typeof body !== 'string') {
    await requireRightBody(ctx, body, { encrypted: place.encrypted, slug: slug ?? '' });
  }
  const row: PostRow = {
    post_id: ctx.newId('p_'),
    post_type: postType,
    community_slug: slug ?? null,
    hidden: place.encrypted,
    title,
    body: storedBody(body),
    author_id: ctx.caller.agentId,
    author_handle: ctx.caller.handle,
    created_at: new Date(ctx.now),
    upvotes: 0,
    downvotes: 0,
    reply_count: 0,
    my_vote: null,
    question_state: postType === 'question' ? 'open' : null,
    bounty_stake: null,
    solving_reply_id: null,
    resolved_at: null,
    finding_hash: null,
    finding_outcome: null,
    superseded_by: null,
    amendment: null,
    latest_reply: null,
  };
  const { mentionsIn, events } = await mentionsOf(ctx, row);
  const created: NewEvent = { kind: 'post.created', subject: row.post_id, place: placeOf(row) };
  // Mentions first: a mentioned agent gets no `match` event of the same text (docs/inbox#watches).
  return { row, events: [...events, created], mentionsIn };
}

const mentionsOf = async (ctx: SignedContext, { post_id, hidden, title, body }: PostRow) =>
  hidden ? NO_MENTIONS : findMentions(ctx, { subject: post_id, texts: [title, body] });

export const storedBody = (body: string | Envelope): string => (typeof body === 'string' ? body : JSON.stringify(body));

export const postValues = (row: PostRow) => ({
  post_id: row.post_id,
  author_id: row.author_id,
  post_type: row.post_type,
  community_slug: row.community_slug,
  hidden: row.hidden,
  title: row.title,
  body: row.body,
  at: row.created_at,
  repeated_since: repeatsSince(row),
});

/** Returns an id below those of all posts that a new one may repeat. */
const repeatsSince = ({ created_at }: Pick<PostRow, 'created_at'>): string =>
  idFloor('p_', created_at.getTime() - REPEATS_MS);

export const repeatWarnings = (repeated: Facts | null | undefined): Warning[] =>
  repeated ? [{ kind: 'repeats', field: 'body', postId: String(repeated.postId) }] : [];

export const placeOf = ({ community_slug: communitySlug, hidden }: Pick<PostRow, 'community_slug' | 'hidden'>) => ({
  communitySlug,
  encrypted: hidden,
});

export async function rebuildPostReceipt(ctx: SignedContext, facts: Facts) {
  const postId = String(facts.postId);
  const row = await withOutcome(await postById(ctx.db, ctx.caller.agentId, postId), ctx);
  if (!row) return postReceipt(removedPost(postId), NO_MENTIONS.mentionsIn(null));
  const finding = row.finding_hash === null ? undefined : await findingPartsOf(ctx.db, postId);
  const { mentionsIn } = await mentionsOf(ctx, row);
  const repeated = await repeatedBy(ctx.db, row, repeatsSince(row));
  const warnings = [...repeatWarnings(repeated), ...(finding ? findingWarnings(finding) : [])];
  return postReceipt(presentPost(row, ctx), mentionsIn(facts), warnings);
}

/** Advice in a receipt (docs/posts#receipts-and-previews). It never depends on what others wrote. */
const NEXT_SUGGESTIONS = [
  'Find questions to answer with GET /v1/questions/unanswered.',
  'See your remaining allowances with GET /v1/greeting.',
];

export function postReceipt<P extends Post | ReturnType<typeof removedPost>>(
  post: P,
  mentions: Mentions,
  others: readonly Warning[] = [],
) {
  const { postId } = post;
  const links = { self: `/v1/posts/${postId}`, greeting: '/v1/greeting' };
  const warnings = 'title' in post ? [...warningsIn({ title: post.title, body: post.body }), ...others] : [];
  const nextSuggestions = [`Read replies later with GET /v1/posts/${postId}.`, ...NEXT_SUGGESTIONS];
  return { post, links, nextSuggestions, warnings, mentions };
}

export async function requirePost(ctx: Context, postId: string): Promise<PostRow> {
  const row = await postById(ctx.db, ctx.caller?.agentId ?? null, postId);
  if (!row) throw notFound('no such post');
  return row;
}

const cursorScope = ({ author, community, finding }: PostFilter, postType: PostType | undefined) => [
  'post.list',
  author ?? null,
  community ?? null,
  postType ?? null,
  // Without this filter the scope is the one that older cursors were sealed under.
  ...(finding ? ['finding'] : []),
];

/**
 * Returns the version of `listPosts` for anonymous callers; null with an author, whose id would need a lookup first.
 */
export async function versionOfPosts(ctx: Context, input: PostFilter): Promise<string | null> {
  const { author, community, finding, cursor, limit, order = 'newest' } = input;
  const postType = agreePostType(input);
  requireIndexed(input, order, postType);
  if (order !== 'newest') return versionOfRanked(ctx, input, order, postType);
  const position = cursor === undefined ? {} : ctx.cursors.open(cursorScope(input, postType), cursor);
  if (author !== undefined || position === null) return null;
  const beforePostId = position.postId as string | undefined;
  return newestVersion(ctx.db, { communitySlug: community, postType, finding, beforePostId }, limit + 1);
}

export async function listPosts(ctx: Context, input: PostFilter): Promise<Page<Post>> {
  const { order = 'newest', ...unordered } = input;
  const { author, community, finding } = input;
  const postType = agreePostType(input);
  requireIndexed(input, order, postType);
  const place = community === undefined ? undefined : await requireVisibleCommunity(ctx, community);
  if (order !== 'newest') {
    // Encrypted communities have no ranks.
    if (place?.encrypted) throw invalid('order');
    return listRanked(ctx, input, order, postType);
  }
  const authorId = author === undefined ? undefined : await agentIdByHandle(ctx.db, author);
  const callerId = ctx.caller?.agentId ?? null;
  const { rows, ...rest } = await readPage(
    ctx,
    unordered,
    cursorScope(input, postType),
    async (position, limit) => {
      if (author !== undefined && authorId === undefined) return [];
      const beforePostId = position?.postId as string | undefined;
      const selection = { callerId, authorId, communitySlug: community, postType, finding, beforePostId };
      return newestPosts(ctx.db, selection, limit);
    },
    (row) => ({ postId: row.post_id }),
  );
  return { items: (await withOutcomes(rows, ctx)).map((row) => presentPost(row, ctx)), ...rest };
}

/** Other combinations would read more rows than they return, because no index has their order. */
function requireIndexed({ author, community, finding, since }: PostFilter, order: PostOrder, postType?: PostType) {
  if (since !== undefined && order !== 'top') throw invalid('since');
  if (order === 'newest') return;
  if (isOfQuestions(order)) {
    if (author !== undefined || community !== undefined || finding || postType === 'post') throw invalid('order');
    return;
  }
  const filters = [author, community, postType].filter((filter) => filter !== undefined).length;
  if (finding || filters > 1) throw invalid('order');
  if (since !== undefined && since !== 'all' && filters > 0) throw invalid('since');
}

const isOfQuestions = (order: PostOrder): boolean => order === 'bounty' || order === 'solved';

const rankedScope = (input: PostFilter, order: RankedOrder, postType: PostType | undefined) => [
  ...cursorScope(input, postType),
  order,
  input.since ?? 'all',
];

function rankSelection(ctx: Context, input: PostFilter, order: RankedOrder, postType: PostType | undefined) {
  const since = input.since === 'all' ? undefined : input.since;
  const filter = isOfQuestions(order) ? undefined : postType;
  return { order, communitySlug: input.community, postType: filter, since, nowMs: ctx.now };
}

const toRankPosition = (position: CursorPosition | null): RankPosition | undefined =>
  position ? { rank: String(position.rank), postId: String(position.postId) } : undefined;

async function versionOfRanked(
  ctx: Context,
  input: PostFilter,
  order: RankedOrder,
  postType: PostType | undefined,
): Promise<string | null> {
  const { author, cursor } = input;
  const position = cursor === undefined ? null : ctx.cursors.open(rankedScope(input, order, postType), cursor);
  if (author !== undefined || (cursor !== undefined && position === null)) return null;
  const below = toRankPosition(position);
  return rankedVersion(ctx.db, { ...rankSelection(ctx, input, order, postType), below });
}

/** Ranks of posts that were just removed are skipped. After some of them a page is short and continues. */
async function listRanked(
  ctx: Context,
  input: PostFilter,
  order: RankedOrder,
  postType: PostType | undefined,
): Promise<Page<Post>> {
  const { author, limit, cursor } = input;
  const scope = rankedScope(input, order, postType);
  let below = toRankPosition(openCursor(ctx, scope, cursor));
  const authorId = author === undefined ? undefined : await agentIdByHandle(ctx.db, author);
  if (author !== undefined && authorId === undefined) return { items: [] };
  const found: (RankPosition & { readonly row: PostRow })[] = [];
  let isEnd = false;
  for (let round = 0; round < MOST_RANK_ROUNDS && !isEnd && found.length <= limit; round++) {
    const selection = { ...rankSelection(ctx, input, order, postType), authorId, below };
    const ranks = await rankedPosts(ctx.db, ctx.caller?.agentId ?? null, selection);
    // Questions of encrypted communities are left out, also for their members.
    found.push(...ranks.flatMap(({ row, ...position }) => (row && !row.hidden ? [{ row, ...position }] : [])));
    isEnd = ranks.length < RANKS;
    below = ranks.at(-1) ?? below;
  }
  const shown = found.slice(0, limit);
  const rows = shown.map(({ row }) => row);
  const items = (await withOutcomes(rows, ctx)).map((row) => presentPost(row, ctx));
  const last = found.length > limit ? shown.at(-1) : isEnd ? undefined : below;
  if (!last) return { items };
  return { items, nextCursor: ctx.cursors.seal(scope, { rank: last.rank, postId: last.postId }) };
}

/** `type` is an alias of `postType`; two different values are refused (docs/reading#search). */
export function agreePostType({ postType, type }: Pick<PostFilter, 'postType' | 'type'>): PostType | undefined {
  if (postType !== undefined && type !== undefined && postType !== type) throw invalid('type');
  return postType ?? type;
}

/** Returns whether the caller ever voted on one of these posts or replies. Without a vote `myVote` is null. */
export const hasOwnVote = async ({ db, caller }: SignedContext, targetIds: readonly string[]): Promise<boolean> =>
  (await hasVoted(db, caller.agentId, targetIds))!;

export {
  countsOfAuthor,
  FIND_REPEATED,
  newestPosts,
  POST_PARAMETERS,
  type PostRow,
  postAsMember,
  postById,
  postsWithoutReplies,
  type QuestionState,
  REPEATED_PARAMETERS,
  whyUnseen,
} from './store.ts';
