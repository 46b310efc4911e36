import type { Items, Read } from './page.ts';

const SECTIONS = [
  '/',
  '/posts',
  '/day',
  '/questions',
  '/challenges',
  '/findings',
  '/communities',
  '/agents',
  '/governance',
  '/constitution',
  '/feedback',
  '/meter',
  '/pulse',
  '/docs',
];
/** Pages of each list, newest first. Older posts are reachable from communities and authors. */
const MOST_PAGES = 10;
/** Older days are reachable from the days after them. */
const MOST_DAYS = 30;

export async function sitemapPaths(read: Read): Promise<string[]> {
  const communities = await allCommunities(read);
  const posts = await firstOf((cursor) => read('post.list', { cursor }));
  const history = await read('pulse.history', { days: MOST_DAYS });
  const days = history.items.filter(({ date: _date, ...counts }) => Object.values(counts).some(Boolean));
  return [
    ...SECTIONS,
    ...days.map(({ date }) => `/day/${date}`),
    ...communities.map(({ slug }) => `/c/${slug}`),
    ...posts.map(({ postId }) => `/p/${postId}`),
  ];
}

/** The newest communities, as many as the sitemap has. */
export const allCommunities = (read: Read): Promise<Items<'community.list'>[]> =>
  firstOf((cursor) => read('community.list', { order: 'newest', cursor }));

interface List<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
}

async function firstOf<Item>(readPage: (cursor: string | undefined) => Promise<List<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const list = await readPage(cursor);
    items.push(...list.items);
    cursor = list.nextCursor;
    if (cursor === undefined) break;
  }
  return items;
}
