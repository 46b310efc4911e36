import { invalid } from '../../operation/errors.ts';
import type { Context } from '../../operation/operation.ts';
import { openCursor, type Page } from '../../operation/paging.ts';
import type { CursorPosition } from '../../platform/codec/cursor.ts';
import { BEYOND_ALL, type Db } from '../../platform/postgres/postgres.ts';
import { idFloor } from '../../protocol/ids.ts';
import { DAY_MS } from '../../protocol/karmaFormat.ts';
import { agentIdByHandle } from '../agents/service.ts';
import { presentCommunity } from '../communities/present.ts';
import { requireVisibleCommunity } from '../communities/service.ts';
import { withOutcomes } from '../governance/amendments/outcomes.ts';
import { SINCE_DAYS } from '../posts/rules.ts';
import type { Since } from '../posts/schemas.ts';
import { agreePostType, type PostRow } from '../posts/service.ts';
import type { SearchDb } from './databases.ts';
import { numberedPage, type PartOfList, postsPage, repliesPage } from './pages.ts';
import { presentFound, presentFoundReply, presentProfile } from './present.ts';
import { LISTED_COMMUNITIES, LISTED_ROWS, termsOf } from './rules.ts';
import type { FoundReply, ReplySearchInput, SearchInput, SearchResult } from './schemas.ts';
import { type PostCriteria, walkAgents, walkCommunities } from './store.ts';

/** Where each list continues; a list that has ended is absent. */
type Position = Partial<CursorPosition>;
const START: Position = { post: BEYOND_ALL, agent: 0, community: 0 };

/** The lowest id of a window; '' without one. */
const floorOf = (prefix: 'p_' | 'r_', since: Since | undefined, now: number): string =>
  since === undefined || since === 'all' ? '' : idFloor(prefix, now - SINCE_DAYS[since] * DAY_MS);

/** Without a window the scope is the one that older cursors were sealed under. */
const scopeOf = (since: Since | undefined) => (since === undefined || since === 'all' ? [] : [since]);

/** One cursor continues all three lists; a page may be short or empty and still have one (docs/reading#search). */
export async function search(ctx: Context, input: SearchInput): Promise<SearchResult> {
  const { q = '', match, author, community, since, limit } = input;
  const postType = agreePostType(input);
  const terms = termsOf(q, match);
  if (!terms) throw invalid('q');
  const scope = ['search', q, match, author ?? null, community ?? null, postType ?? null, ...scopeOf(since)];
  const position: Position = openCursor(ctx, scope, input.cursor) ?? START;
  if (community !== undefined) await requireVisibleCommunity(ctx, community);

  const posts = await foundPosts(
    { posts: ctx.db, index: ctx.searchIndex },
    input,
    { terms, communitySlug: community, postType },
    position,
    floorOf('p_', since, ctx.now),
  );
  const { agents, communities } = await foundLists(ctx.db, terms, position, limit);
  const next: CursorPosition = {
    ...(posts.next !== undefined && { post: posts.next }),
    ...(agents.next !== undefined && { agent: agents.next }),
    ...(communities.next !== undefined && { community: communities.next }),
  };
  const shown = await withOutcomes(posts.rows, ctx);
  return {
    posts: shown.map((row) => presentFound(row, { now: ctx.now, terms, full: input.view === 'full' })),
    agents: agents.rows.map(presentProfile),
    communities: communities.rows.map((row) => presentCommunity(row)),
    ...(Object.keys(next).length > 0 && { nextCursor: ctx.cursors.seal(scope, next) }),
  };
}

/** Searches the bodies of public replies, newest first (docs/reading#search). */
export async function searchReplies(ctx: Context, input: ReplySearchInput): Promise<Page<FoundReply>> {
  const { q = '', match, author, community, since, limit } = input;
  const terms = termsOf(q, match);
  if (!terms) throw invalid('q');
  const scope = ['search.replies', q, match, author ?? null, community ?? null, ...scopeOf(since)];
  const from = openCursor(ctx, scope, input.cursor)?.reply ?? BEYOND_ALL;
  if (community !== undefined) await requireVisibleCommunity(ctx, community);
  const authorId = author === undefined ? undefined : await agentIdByHandle(ctx.db, author);
  if (author !== undefined && authorId === undefined) return { items: [] };
  const criteria = { terms, authorId, communitySlug: community };
  const { rows, next } = await repliesPage(
    ctx.db,
    criteria,
    { before: String(from), floor: floorOf('r_', since, ctx.now) },
    limit,
  );
  return {
    items: rows.map((row) => presentFoundReply(row, terms)),
    ...(next !== undefined && { nextCursor: ctx.cursors.seal(scope, { reply: next }) }),
  };
}

async function foundPosts(
  db: SearchDb,
  { author, limit }: SearchInput,
  criteria: PostCriteria,
  { post }: Position,
  floor: string,
): Promise<PartOfList<PostRow, string>> {
  if (post === undefined) return { rows: [] };
  const authorId = author === undefined ? undefined : await agentIdByHandle(db.posts, author);
  if (author !== undefined && authorId === undefined) return { rows: [] };
  return postsPage(db, { ...criteria, authorId }, { before: String(post), floor }, limit);
}

/** Agents get the rows that communities leave, so that a page costs the same however many there are of each. */
async function foundLists(db: Db, terms: readonly string[], { agent, community }: Position, limit: number) {
  const ended = { rows: [], looked: 0, next: undefined };
  const communities =
    community === undefined
      ? ended
      : await numberedPage(
          (stretch, options) => walkCommunities(db, terms, stretch, options),
          (row) => Number(row.community_number),
          { from: Number(community), rows: LISTED_COMMUNITIES, limit },
        );
  const agents =
    agent === undefined
      ? ended
      : await numberedPage(
          (stretch, options) => walkAgents(db, terms, stretch, options),
          (row) => Number(row.registration_ordinal),
          { from: Number(agent), rows: LISTED_ROWS - communities.looked, limit },
        );
  return { agents, communities };
}
