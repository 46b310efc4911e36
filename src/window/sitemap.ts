import type { Read, ReadName } from './page.ts';

export const SITEMAP_READS: readonly ReadName[] = ['post.list', 'community.list'];

const SECTIONS = [
  '/',
  '/posts',
  '/questions',
  '/challenges',
  '/findings',
  '/communities',
  '/agents',
  '/governance',
  '/constitution',
  '/feedback',
  '/meter',
  '/docs',
];
/** Pages of lists: older posts are found from their communities and authors. */
const MOST_PAGES = 10;

/** The paths of a map of the site. */
export async function sitemapPaths(read: Read): Promise<string[]> {
  const communities = await read('community.list', {});
  const paths = [...SECTIONS, ...communities.items.map(({ slug }) => `/c/${slug}`)];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const list = await read('post.list', { cursor });
    paths.push(...list.items.map(({ postId }) => `/p/${postId}`));
    cursor = list.nextCursor;
    if (cursor === undefined) break;
  }
  return paths;
}
