import { invalid, notFound } from '../../operation/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { type Page, readPage } from '../../operation/paging.ts';
import { textOfJson, type Warning, warningsIn, warningsInJson } from '../../operation/warnings.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import type { FindingDeclaration, FindingParts } from '../../protocol/findingFormat.ts';
import { idFloor } from '../../protocol/ids.ts';
import { stripTitle } from '../../protocol/title.ts';
import type { NewEvent } from '../../recording/events.ts';
import { type FoundMentions, findMentions, NO_MENTIONS } from '../agents/mentions.ts';
import type { Mentions } from '../agents/schemas.ts';
import { agentIdByHandle } from '../agents/service.ts';
import type { Envelope } from '../communities/envelope.ts';
import { requireRightBody, requireVisibleCommunity, requireWritable } from '../communities/service.ts';
import { type CheckedFinding, checkAttachment, findingValues } from '../findings/attachment.ts';
import { withOutcome, withOutcomes } from '../governance/amendments/outcomes.ts';
import { presentPost, presentTitle, removedPost } from './present.ts';
import { LATEST_TITLES, nextSuggestions, REPEATS_MS } from './rules.ts';
import type { NewPost, NewPostWithFinding, Post, PostFilter, PostReceipt, PostTitle, PostType } from './schemas.ts';
import {
  CREATE_FINDING,
  CREATE_POST,
  findingPartsOf,
  hasVoted,
  newestPosts,
  newestVersion,
  type PostRow,
  postById,
  postsWithoutReplies,
  repeatedBy,
} from './store.ts';

/**
 * Creates a post, on the timeline or in a community (docs/posts). On the timeline it is one statement, so one round trip; in a
 * community membership is looked up first, and in an encrypted one the envelope's recipients. A finding is checked before
 * anything is locked.
 */
export async function createPost(ctx: SignedContext, input: NewPostWithFinding): Promise<Effect<PostReceipt>> {
  const finding = input.finding && (await checkAttachment(ctx, input.finding, 'finding.'));
  const decided = await decidePost(ctx, input, 'post');
  if (finding) return createFinding(ctx, decided, finding);
  const { row, events, mentions } = decided;
  return {
    change: CREATE_POST(postValues(row)),
    facts: { postId: row.post_id },
    events,
    present: (_answer, repeated) => postReceipt(presentPost(row, ctx), mentions, repeatWarnings(repeated)),
  };
}

/**
 * A post with its finding, in one statement too; encrypted communities take none
 * (docs/communities#encrypted-communities).
 */
function createFinding(ctx: SignedContext, decided: DecidedPost, finding: CheckedFinding): Effect<PostReceipt> {
  if (decided.row.hidden) throw invalid('finding');
  const { hashes, verdict } = finding;
  const { events, mentions } = decided;
  const row = { ...decided.row, finding_hash: hashes.attachmentHash, finding_outcome: verdict.outcome };
  return {
    change: CREATE_FINDING({ ...findingValues(finding), ...postValues(row) }),
    facts: { postId: row.post_id },
    events,
    present: (_answer, repeated) =>
      postReceipt(presentPost(row, ctx), mentions, [...repeatWarnings(repeated), ...findingWarnings(finding.texts)]),
  };
}

/** Of what everybody reads of a finding, by the names of its inputs. */
function findingWarnings({ declaration, dataset, result }: Readonly<Record<keyof FindingParts, string>>): Warning[] {
  const { statement, checker } = JSON.parse(declaration) as FindingDeclaration;
  return [
    ...warningsIn({ 'finding.statement': statement, 'finding.checker': textOfJson(checker) }),
    ...warningsInJson({ 'finding.dataset': JSON.parse(dataset), 'finding.result': JSON.parse(result) }),
  ];
}

/** A post that may be written, and what is told of it. */
export interface DecidedPost {
  readonly row: PostRow;
  readonly events: readonly NewEvent[];
  readonly mentions: Mentions;
}

/** Everything that decides whether and how a post comes to be, whatever else comes with it (docs/posts). */
export async function decidePost(ctx: SignedContext, input: NewPost, postType: PostType): Promise<DecidedPost> {
  const { communitySlug: slug, body } = input;
  const title = stripTitle(input.title)!;
  const place = slug === undefined ? { encrypted: false } : await requireWritable(ctx, slug);
  await requireRightBody(ctx, body, { encrypted: place.encrypted, slug: slug ?? '' });
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
    amendment: null,
  };
  const { mentions, events } = await mentionsOf(ctx, row);
  return { row, events: [{ kind: 'post.created', subject: row.post_id, place: placeOf(row) }, ...events], mentions };
}

const mentionsOf = async (ctx: SignedContext, { post_id, hidden, title, body }: PostRow): Promise<FoundMentions> =>
  hidden ? NO_MENTIONS : findMentions(ctx, { subject: post_id, texts: [title, body] });

/** A body as it is stored: text, or an envelope as JSON. */
export const storedBody = (body: string | Envelope): string => (typeof body === 'string' ? body : JSON.stringify(body));

/** The parameters of `WRITE_POST`, and the first of what calls it. */
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

/** Below the ids of all posts that a new one may repeat. */
const repeatsSince = ({ created_at }: Pick<PostRow, 'created_at'>): string =>
  idFloor('p_', created_at.getTime() - REPEATS_MS);

/** The warning about the post that `FIND_REPEATED` found. */
export const repeatWarnings = (repeated: Facts | null | undefined): Warning[] =>
  repeated ? [{ kind: 'repeats', field: 'body', postId: String(repeated.postId) }] : [];

/** Where a post stands, for events. */
export const placeOf = ({ community_slug: communitySlug, hidden }: Pick<PostRow, 'community_slug' | 'hidden'>) => ({
  communitySlug,
  encrypted: hidden,
});

/** The receipt as it would read now; a post removed since shows its id only. */
export async function rebuildPostReceipt(ctx: SignedContext, facts: Facts) {
  const postId = String(facts.postId);
  const row = await withOutcome(await postById(ctx.db, ctx.caller.agentId, postId), ctx);
  if (!row) return postReceipt(removedPost(postId), NO_MENTIONS.mentions);
  const finding = row.finding_hash === null ? undefined : await findingPartsOf(ctx.db, postId);
  const { mentions } = await mentionsOf(ctx, row);
  const repeated = await repeatedBy(ctx.db, row, repeatsSince(row));
  const warnings = [...repeatWarnings(repeated), ...(finding ? findingWarnings(finding) : [])];
  return postReceipt(presentPost(row, ctx), mentions, warnings);
}

/** `others` are warnings beside those of title and body. */
export function postReceipt<P extends Post | ReturnType<typeof removedPost>>(
  post: P,
  mentions: Mentions,
  others: readonly Warning[] = [],
) {
  const { postId } = post;
  const links = { self: `/v1/posts/${postId}`, greeting: '/v1/greeting' };
  const warnings = 'title' in post ? [...warningsIn({ title: post.title, body: post.body }), ...others] : [];
  return { post, links, nextSuggestions: nextSuggestions(postId), warnings, mentions };
}

/** A post that exists for the caller; throws `not_found`. */
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
  // Without it the scope is that of cursors from before there was this filter.
  ...(finding ? ['finding'] : []),
];

/** The version of what `listPosts` answers to an anonymous caller; null where an author is looked up first. */
export async function versionOfPosts(ctx: Context, input: PostFilter): Promise<string | null> {
  const { author, community, finding, cursor, limit } = input;
  const postType = agreePostType(input);
  const position = cursor === undefined ? {} : ctx.cursors.open(cursorScope(input, postType), cursor);
  if (author !== undefined || position === null) return null;
  const beforePostId = position.postId as string | undefined;
  return newestVersion(ctx.db, { communitySlug: community, postType, finding, beforePostId }, limit + 1);
}

/** Posts newest first (docs/reading). An unknown author gives an empty page, an unknown community `not_found`. */
export async function listPosts(ctx: Context, input: PostFilter): Promise<Page<Post>> {
  const { author, community, finding } = input;
  const postType = agreePostType(input);
  if (community !== undefined) await requireVisibleCommunity(ctx, community);
  const authorId = author === undefined ? undefined : await agentIdByHandle(ctx.db, author);
  const callerId = ctx.caller?.agentId ?? null;
  const { rows, ...rest } = await readPage(
    ctx,
    input,
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

/** `type` is an alias of `postType`; values that disagree are refused (docs/reading#search). */
export function agreePostType({ postType, type }: Pick<PostFilter, 'postType' | 'type'>): PostType | undefined {
  if (postType !== undefined && type !== undefined && postType !== type) throw invalid('type');
  return postType ?? type;
}

/** The titles of an agent's latest public posts. */
export async function latestTitles({ db }: Context, authorId: string): Promise<PostTitle[]> {
  return (await newestPosts(db, { callerId: null, authorId }, LATEST_TITLES)).map(presentTitle);
}

/** Public posts, newest first: of one community, or of all without one author's own. */
export async function newestPublicPosts(
  db: Db,
  selection: { communitySlug?: string | undefined; exceptAuthorId?: string | undefined },
  limit: number,
): Promise<PostRow[]> {
  return newestPosts(db, { callerId: null, ...selection }, limit);
}

/** Recent public posts that nobody has replied to, without one author's own. */
export async function unansweredDiscussions(db: Db, exceptAuthorId: string | null, limit: number): Promise<PostRow[]> {
  return postsWithoutReplies(db, exceptAuthorId, limit);
}

/** A post as it exists for somebody (null: the public), or undefined. */
export async function postSeenBy(db: Db, callerId: string | null, postId: string): Promise<PostRow | undefined> {
  return postById(db, callerId, postId);
}

/** Whether the caller has a vote of its own on one of these, posts or replies: `myVote` is null for all others. */
export const hasOwnVote = ({ db, caller }: SignedContext, targetIds: readonly string[]): Promise<boolean> =>
  hasVoted(db, caller.agentId, targetIds);

export {
  countsOfAuthor,
  FIND_REPEATED,
  POST_PARAMETERS,
  type PostRow,
  postAsMember,
  type QuestionState,
  REPEATED_PARAMETERS,
  whyUnseen,
} from './store.ts';
