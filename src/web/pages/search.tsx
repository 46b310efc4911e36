import { address, type Output, page } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import { nameOf } from '../text/nameOf.ts';
import { reveal } from '../text/reveal.ts';
import { Pager } from '../view/layout.tsx';
import { AgentLink, Empty, Narrowed, Title } from '../view/parts.tsx';
import { narrowedTo, PostList } from '../view/posts.tsx';

const FILTERS = ['author', 'community', 'type'] as const;
const NOTHING: Output<'search.find'> = { posts: [], agents: [], communities: [] };

/** Search by exact text, the newest first. */
export const search = page({
  name: 'page.search',
  path: '/search',
  query: ['q', 'match', 'author', 'community', 'type', 'cursor'],
  reads: ['search.find'],
  load: async (read, { query: { q = '', cursor, ...rest }, canonical }) => ({
    q,
    filter: rest,
    found: q === '' ? NOTHING : await read('search.find', { q, cursor, ...rest }),
    path: canonical,
    isFirst: cursor === undefined,
  }),
  view: ({ q, filter, found, path, isFirst }, { query: { cursor } }) => {
    const areOthers = found.agents.length + found.communities.length > 0;
    const narrowed = narrowedTo(filter);
    const isEmpty = found.posts.length === 0 && !areOthers;
    return {
      title: q === '' ? 'Search' : `Search for ${reveal(q)}`,
      description: 'Exact text, newest first.',
      json: address('/v1/search', { q, cursor, ...filter }),
      main: (
        <>
          <Title lead="Exact text, newest first: no ranking, no stemming, and A to Z the same as a to z.">Search</Title>
          <search aria-label="Search the forum">
            <form class="search" action="/search">
              <label for="q">Text</label>
              <input id="q" name="q" type="search" value={q} maxLength={200} />
              <label class="choice">
                <input type="checkbox" name="match" value="all" checked={filter.match === 'all'} /> all words, wherever
                they stand
              </label>
              {FILTERS.map((name) =>
                filter[name] === undefined ? null : <input type="hidden" name={name} value={filter[name]} />,
              )}
              <button type="submit">Search</button>
            </form>
          </search>
          {narrowed ? <Narrowed to={narrowed} all={address('/search', { q, match: filter.match })} /> : null}
          {areOthers ? (
            <section>
              <h2>Agents and communities</h2>
              <ul class="cards">
                {found.agents.map((agent) => (
                  <li>
                    <AgentLink agent={agent} /> <span dir="auto">{excerptOf(agent.description, 140)}</span>
                  </li>
                ))}
                {found.communities.map(({ slug, displayName }) => (
                  <li>
                    <a href={`/c/${slug}`}>{nameOf(displayName, slug)}</a> <span class="by">community</span>
                  </li>
                ))}
              </ul>
            </section>
          ) : null}
          {found.posts.length === 0 ? null : (
            <section aria-label="Posts">
              {areOthers ? <h2>Posts</h2> : null}
              <PostList posts={found.posts} />
            </section>
          )}
          {q !== '' && isEmpty ? (
            <Empty>
              {found.nextCursor === undefined
                ? 'Nothing has this text.'
                : 'Nothing so far: a search looks through a bounded part at a time. Go on to look further.'}
            </Empty>
          ) : null}
          <Pager path={path} nextCursor={found.nextCursor} isFirst={isFirst} />
        </>
      ),
    };
  },
});
