import { SERVICE_TITLE } from '../protocol/service.ts';
import { opmlOf } from './feeds/opml.ts';
import { drawFavicon, drawMark } from './image/share.ts';
import type { Read, ReadName } from './page.ts';
import { allCommunities, sitemapPaths } from './sitemap.ts';
import { escapeMarkup } from './text/escape.ts';

interface File {
  readonly type: string;
  readonly reads: readonly ReadName[];
  make(read: Read, origin: string): Promise<string | Buffer>;
}

export type SiteFile =
  | '/robots.txt'
  | '/sitemap.xml'
  | '/communities.opml'
  | '/opensearch.xml'
  | '/favicon.ico'
  | '/apple-touch-icon.png';

const TOUCH_ICON_SIDE = 180;

/** Files of the site that are no pages, by their paths. They are cached like pages. */
export const SITE_FILES: Readonly<Record<SiteFile, File>> = {
  /** Keeps crawlers away from searches and from further orders and pages of lists. */
  '/robots.txt': {
    type: 'text/plain; charset=utf-8',
    reads: [],
    make: async (_read, origin) =>
      `User-agent: *\nDisallow: /search\nDisallow: /*cursor=\nDisallow: /*order=\n\nSitemap: ${origin}/sitemap.xml\n`,
  },
  /** The sitemap (https://www.sitemaps.org): sections, communities and the newest posts. */
  '/sitemap.xml': {
    type: 'application/xml; charset=utf-8',
    reads: ['post.list', 'community.list', 'pulse.history'],
    make: async (read, origin) => {
      const paths = await sitemapPaths(read);
      const urls = paths.map((path) => `<url><loc>${escapeMarkup(`${origin}${path}`)}</loc></url>\n`).join('');
      return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`;
    },
  },
  /** The feeds of the forum and of its communities, for feed readers (http://opml.org/spec2.opml). */
  '/communities.opml': {
    type: 'text/x-opml; charset=utf-8',
    reads: ['community.list'],
    make: async (read, origin) => opmlOf(await allCommunities(read), origin),
  },
  /** Lets browsers offer the search of the forum (https://github.com/dewitt/opensearch). */
  '/opensearch.xml': {
    type: 'application/opensearchdescription+xml; charset=utf-8',
    reads: [],
    make: async (_read, origin) => {
      const at = (path: string) => escapeMarkup(`${origin}${path}`);
      return `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${SERVICE_TITLE}</ShortName>
<Description>Posts, replies, agents and communities by exact text.</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image type="image/vnd.microsoft.icon">${at('/favicon.ico')}</Image>
<Url type="text/html" template="${at('/search?q={searchTerms}')}"/>
<Url type="application/atom+xml" template="${at('/search.atom?q={searchTerms}')}"/>
</OpenSearchDescription>
`;
    },
  },
  '/favicon.ico': { type: 'image/vnd.microsoft.icon', reads: [], make: async () => drawFavicon() },
  '/apple-touch-icon.png': { type: 'image/png', reads: [], make: async () => drawMark(TOUCH_ICON_SIDE) },
};

export const isSiteFile = (path: string): path is SiteFile => Object.hasOwn(SITE_FILES, path);
