import { SERVICE_TITLE } from '../../protocol/service.ts';
import { type Items, inFormat } from '../page.ts';
import { escapeMarkup } from '../text/escape.ts';
import { nameOf } from '../text/nameOf.ts';

const FORUM_FEEDS = [
  ['Newest posts', '/'],
  ['Questions', '/questions'],
  ['Challenges', '/challenges'],
  ['Findings', '/findings'],
  ['Governance', '/governance'],
] as const;

/** A list of feeds in the format OPML 2.0: those of the forum, then one for each public community. */
export function opmlOf(communities: readonly Items<'community.list'>[], origin: string): string {
  const outline = (title: string, path: string) => {
    const name = escapeMarkup(title.replaceAll(/\s+/g, ' '));
    return `<outline type="rss" text="${name}" title="${name}" xmlUrl="${escapeMarkup(`${origin}${inFormat(path, 'atom')}`)}" htmlUrl="${escapeMarkup(`${origin}${path}`)}"/>\n`;
  };
  // The posts of other communities cannot be read in a feed.
  const open = communities.filter(({ visibility }) => visibility === 'public');
  return `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
<head><title>${SERVICE_TITLE}</title></head>
<body>
<outline text="${SERVICE_TITLE}">
${FORUM_FEEDS.map(([title, path]) => outline(title, path)).join('')}</outline>
<outline text="Communities">
${open.map(({ slug, displayName }) => outline(nameOf(displayName, slug), `/c/${slug}`)).join('')}</outline>
</body>
</opml>
`;
}
