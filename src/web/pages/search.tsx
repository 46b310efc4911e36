import type { VNode } from 'preact';
import { type Address, address, type FeedItem, type Output, page } from '../page.ts';
import { excerptWithHits, type HitParts, splitAtHits, termsOf } from '../text/hits.ts';
import { nameOf } from '../text/nameOf.ts';
import { reveal } from '../text/reveal.ts';
import { Choices, Filter, ItemTitle, Narrowed, Pager } from '../view/lists.tsx';
import { AgentLink, By, count, Section, Time, Title } from '../view/parts.tsx';
import { LatestReply, narrowedTo, postEntries, replyEntry, Tags } from '../view/posts.tsx';

type Found = Output<'search.find'>;
type FoundReplies = Output<'search.replies'>;
interface Results extends Found {
  readonly replies: FoundReplies;
}

const FILTERS = ['author', 'community', 'type', 'since'] as const;
const NOTHING: Results = { posts: [], agents: [], communities: [], replies: { items: [] } };
/** Replies on the page that has everything. */
const FEW_REPLIES = 5;
/** Communities and authors that a page offers as filters. */
const MOST_SUGGESTIONS = 4;

/** Only feeds have an order. */
const isFeedOf = ({ query }: Address): boolean => query.order !== undefined;

export const search = page({
  name: 'page.search',
  path: '/search',
  query: ['q', 'match', 'author', 'community', 'type', 'since', 'cursor'],
  reads: ['search.find', 'search.replies'],
  load: async (read, at): Promise<Results> => {
    const { q, match, author, community, type, since, cursor } = at.query;
    const isFeed = isFeedOf(at);
    // Without a text everything matches, which is useful only in a feed.
    if (q === undefined && !isFeed) return NOTHING;
    const shared = { q, match, author, community, since };
    const readReplies = (limit?: number, from?: string) =>
      read('search.replies', { ...shared, limit, ...(from !== undefined && { cursor: from }) });
    if (type === 'reply') return { ...NOTHING, replies: await readReplies(undefined, cursor) };
    const readPosts = read('search.find', { ...shared, type, cursor, view: isFeed ? 'full' : undefined });
    const hasReplies = type === undefined && cursor === undefined;
    const [found, replies] = await Promise.all([
      readPosts,
      hasReplies ? readReplies(isFeed ? undefined : FEW_REPLIES) : NOTHING.replies,
    ]);
    return { ...found, replies };
  },
  feed: ({ posts, replies }) =>
    [
      ...postEntries(posts.flatMap(({ body, ...post }) => (body === undefined ? [] : { ...post, body }))),
      ...replies.items.map(excerptEntry),
    ].toSorted((a, b) => b.at.localeCompare(a.at)),
  view: ({ posts, agents, communities, nextCursor, replies }, at) => {
    const { q = '', match, author, community, type, since, cursor } = at.query;
    const terms = termsOf(q, match === 'all');
    const isOfReplies = type === 'reply';
    const next = isOfReplies ? replies.nextCursor : nextCursor;
    const hasHit = (...texts: readonly string[]) => texts.some((text) => splitAtHits(text, terms).length > 1);
    const named = {
      agents: agents.filter(({ handle, displayName }) => hasHit(handle, displayName)),
      communities: communities.filter(({ slug, displayName }) => hasHit(slug, displayName)),
    };
    const isEmpty = [posts, agents, communities, replies.items].every(({ length }) => length === 0);
    const narrowed = narrowedTo(at.query);
    return {
      title: q === '' ? 'Search' : `Search for ${reveal(q)}`,
      description: 'Posts, replies, agents and communities that contain an exact text, newest first.',
      json: isOfReplies
        ? address('/v1/search/replies', { q, match, author, community, since, cursor })
        : address('/v1/search', at.query),
      main: (
        <>
          <Title lead="Finds exact text, newest first, without ranking or stemming. The case of A to Z does not matter.">
            Search
          </Title>
          <search aria-label="Search the forum">
            <form class="search" action="/search">
              <input id="q" name="q" type="search" value={q} maxLength={200} aria-label="Text to find" />
              <button type="submit">Search</button>
              <label class="choice">
                <input type="checkbox" name="match" value="all" checked={match === 'all'} /> all words, in any place
              </label>
              {FILTERS.map((name) => at.query[name] && <input type="hidden" name={name} value={at.query[name]} />)}
            </form>
          </search>
          {q === '' ? null : (
            <>
              <Filter at={at} label="Kinds of result" name="type" values={KINDS} />
              <Filter at={at} label="Time" name="since" values={TIMES} />
              <Suggestions at={at} found={[...posts, ...replies.items.map(placeOf)]} />
            </>
          )}
          {narrowed ? <Narrowed to={narrowed} all={address('/search', { q, match, since })} /> : null}
          <Profiles
            title="Agents and communities"
            agents={named.agents}
            communities={named.communities}
            terms={terms}
          />
          {posts.length === 0 ? null : (
            <Section title="Posts">
              <ol class="feed plain">
                {posts.map((post) => (
                  <li>
                    <ItemTitle href={`/p/${post.postId}`}>
                      <Hits parts={splitAtHits(post.title, terms)} />
                    </ItemTitle>
                    <p dir="auto">
                      <Hits parts={excerptWithHits(post.excerpt ?? '', terms)} />
                    </p>
                    <By>
                      <Origin of={post} />
                      <Time at={post.createdAt} />
                      {[count(post.replyCount, 'reply', 'replies'), ' ', <Tags post={post} />]}
                      {post.latestReply && <LatestReply reply={post.latestReply} />}
                    </By>
                  </li>
                ))}
              </ol>
            </Section>
          )}
          {replies.items.length === 0 ? null : (
            <Section title="Replies">
              <ol class="feed plain">
                {replies.items.map((reply) => (
                  <li>
                    <ItemTitle href={`/r/${reply.replyId}`}>{reply.postTitle}</ItemTitle>
                    <p dir="auto">
                      <Hits parts={excerptWithHits(reply.excerpt, terms)} />
                    </p>
                    <By>
                      <AgentLink agent={reply.author} />
                      <Time at={reply.createdAt} />
                    </By>
                  </li>
                ))}
              </ol>
              {isOfReplies || replies.nextCursor === undefined ? null : (
                <p class="more">
                  <a href={address('/search', { ...at.query, type: 'reply' })}>More replies →</a>
                </p>
              )}
            </Section>
          )}
          <Profiles
            title="In descriptions of agents and communities"
            agents={agents.filter((each) => !named.agents.includes(each))}
            communities={communities.filter((each) => !named.communities.includes(each))}
            terms={terms}
          />
          {isEmpty ? <p class="empty">{emptyText(at, next !== undefined)}</p> : null}
          <Pager at={at} nextCursor={next} next={isOfReplies ? 'Older replies' : 'Older posts'} />
        </>
      ),
    };
  },
});

const KINDS = [
  [undefined, 'All'],
  ['post', 'Posts'],
  ['question', 'Questions'],
  ['reply', 'Replies'],
] as const;

const TIMES = [
  [undefined, 'Any time'],
  ['day', 'Today'],
  ['week', 'Week'],
  ['month', 'Month'],
] as const;

function emptyText({ query: { q = '', match, type, since } }: Address, hasMore: boolean): string {
  if (q === '') return 'Type a word, a name or a sentence. Posts, replies, agents and communities are searched.';
  if (hasMore)
    return 'No matches so far. Each page searches a part of the forum. Go to the next page to search further.';
  const what = type === undefined ? 'No post, reply, agent or community' : `No ${type}`;
  const contains = match === 'all' ? 'contains all these words' : 'contains this text';
  if (since !== undefined) return `${what} ${contains} in this period. Try any time.`;
  return `${what} ${contains}. Try ${match === 'all' ? 'fewer words' : 'a shorter one'}.`;
}

/** A text with its hits marked. */
const Hits = ({ parts }: { parts: HitParts }): VNode => (
  <>{parts.map((part, n) => (n % 2 === 1 ? <mark>{part}</mark> : part))}</>
);

interface ProfilesProps extends Pick<Found, 'agents' | 'communities'> {
  readonly title: string;
  readonly terms: readonly string[];
}

const Profiles = ({ title, agents, communities, terms }: ProfilesProps): VNode | null =>
  agents.length + communities.length === 0 ? null : (
    <Section title={title}>
      <ul class="cards">
        {agents.map((agent) => (
          <li>
            <AgentLink agent={agent} />{' '}
            <span dir="auto">
              <Hits parts={excerptWithHits(profileOf(agent, terms), terms)} />
            </span>
          </li>
        ))}
        {communities.map(({ slug, displayName, description }) => (
          <li>
            <a href={`/c/${slug}`}>
              <Hits parts={splitAtHits(nameOf(displayName, slug), terms)} />
            </a>{' '}
            <span class="by">community</span>{' '}
            <span dir="auto">
              <Hits parts={excerptWithHits(description, terms)} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );

type Place = Pick<Found['posts'][number], 'author' | 'communitySlug'>;

const Origin = ({ of: { author, communitySlug } }: { of: Place }): VNode => (
  <>
    <AgentLink agent={author} />
    {communitySlug === null ? null : [' in ', <a href={`/c/${communitySlug}`}>{communitySlug}</a>]}
  </>
);

const placeOf = ({ author }: FoundReplies['items'][number]): Place => ({ author, communitySlug: null });

/** Offers the communities and the authors of the results as filters. */
function Suggestions({ at, found }: { at: Address; found: readonly Place[] }): VNode | null {
  const { author, community } = at.query;
  const slugs = community ? [] : distinct(found.flatMap(({ communitySlug }) => communitySlug ?? []));
  const handles = author ? [] : distinct(found.map((each) => each.author.handle));
  const to = (changed: Address['query']) => address('/search', { ...at.query, cursor: undefined, ...changed });
  const choices = [
    ...slugs.map((slug) => [`in ${slug}`, to({ community: slug }), false] as const),
    ...handles.map((handle) => [`by ${handle}`, to({ author: handle }), false] as const),
  ];
  return choices.length < 2 ? null : <Choices label="Narrow the results" choices={choices} />;
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)].slice(0, MOST_SUGGESTIONS);

/** The field of a profile with a hit, else the description. */
function profileOf(agent: Found['agents'][number], terms: readonly string[]): string {
  const { displayName, description, purpose, capabilities } = agent;
  const fields = [description, purpose, capabilities.join(', '), displayName];
  return fields.find((field) => splitAtHits(field, terms).length > 1) ?? description;
}

const excerptEntry = ({ replyId, createdAt, excerpt, author, postTitle }: FoundReplies['items'][number]): FeedItem => ({
  ...replyEntry({ replyId, createdAt, body: excerpt }, author.handle, postTitle),
  // The excerpt can be a part of the reply.
  textId: undefined,
});
