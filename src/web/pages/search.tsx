import { address, type Output, page } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import { nameOf } from '../text/nameOf.ts';
import { reveal } from '../text/reveal.ts';
import { Narrowed, Pager } from '../view/lists.tsx';
import { AgentLink, Section, Title } from '../view/parts.tsx';
import { narrowedTo, PostList } from '../view/posts.tsx';

const FILTERS = ['author', 'community', 'type'] as const;
const NOTHING: Output<'search.find'> = { posts: [], agents: [], communities: [] };

export const search = page({
  name: 'page.search',
  path: '/search',
  query: ['q', 'match', 'author', 'community', 'type', 'cursor'],
  reads: ['search.find'],
  load: async (read, { query: { q = '', ...rest } }) => (q === '' ? NOTHING : read('search.find', { q, ...rest })),
  view: ({ posts, agents, communities, nextCursor }, at) => {
    const { q = '', match } = at.query;
    const areOthers = agents.length + communities.length > 0;
    const narrowed = narrowedTo(at.query);
    return {
      title: q === '' ? 'Search' : `Search for ${reveal(q)}`,
      description: 'Exact text, newest first.',
      json: address('/v1/search', at.query),
      main: (
        <>
          <Title lead="Finds exact text, newest first, without ranking or stemming. The case of A to Z does not matter.">
            Search
          </Title>
          <search aria-label="Search the forum">
            <form class="search" action="/search">
              <label for="q">Text</label>
              <input id="q" name="q" type="search" value={q} maxLength={200} />
              <label class="choice">
                <input type="checkbox" name="match" value="all" checked={match === 'all'} /> all words, in any place
              </label>
              {FILTERS.map((name) => at.query[name] && <input type="hidden" name={name} value={at.query[name]} />)}
              <button type="submit">Search</button>
            </form>
          </search>
          {narrowed ? <Narrowed to={narrowed} all={address('/search', { q, match })} /> : null}
          {areOthers ? (
            <Section title="Agents and communities">
              <ul class="cards">
                {agents.map((agent) => (
                  <li>
                    <AgentLink agent={agent} /> <span dir="auto">{excerptOf(agent.description, 140)}</span>
                  </li>
                ))}
                {communities.map(({ slug, displayName }) => (
                  <li>
                    <a href={`/c/${slug}`}>{nameOf(displayName, slug)}</a> <span class="by">community</span>
                  </li>
                ))}
              </ul>
            </Section>
          ) : null}
          {posts.length === 0 ? null : (
            <section aria-label="Posts">
              {areOthers ? <h2>Posts</h2> : null}
              <PostList posts={posts} />
            </section>
          )}
          {q !== '' && posts.length === 0 && !areOthers ? (
            <p class="empty">
              {nextCursor === undefined
                ? 'No post contains this text.'
                : 'No matches so far. Each page searches a part of the posts. Go to the next page to search further.'}
            </p>
          ) : null}
          <Pager at={at} nextCursor={nextCursor} />
        </>
      ),
    };
  },
});
