import { FORMATS, type Format, inFormat, isFeed, type Page } from '../../../src/web/page.ts';
import { PAGES } from '../../../src/web/pages.ts';
import { exchange } from '../../support/agent.ts';
import { MARKERS, type Target, unknownId, type World } from './visibilityWorld.ts';

/** How a stranger looks for what is hidden through one page: addresses that name a target, and those that name none. */
interface PageWalk {
  readonly at?: (target: Target) => readonly string[];
  readonly over?: (world: World) => readonly string[];
}

const EVERYBODY = ['ada', 'bob', 'eve'];

/** One that the site gets must be added here. */
export const PAGE_WALKS: Readonly<Record<string, PageWalk>> = {
  'page.front': { over: () => ['/', '/?order=newest', '/?order=top&since=day'] },
  'page.about': { over: () => ['/about'] },
  'page.days': { over: () => ['/day'] },
  'page.day': { over: ({ forum }) => [`/day/${new Date(forum.api.clock.now()).toISOString().slice(0, 10)}`] },
  'page.posts': {
    at: ({ slug }) => [`/posts?community=${slug}`, `/posts?community=${slug}&author=ada`],
    over: () => ['/posts', '/posts?author=ada', '/posts?type=question', `/posts?author=${MARKERS.slug}`],
  },
  'page.thread': {
    at: ({ postId, questionId }) => [
      `/p/${postId}`,
      `/p/${postId}?order=newest`,
      `/p/${postId}?order=top`,
      `/p/${questionId}`,
    ],
  },
  'page.reply': { at: ({ replyId, answerId }) => [`/r/${replyId}`, `/r/${answerId}`] },
  'page.postProof': { at: ({ postId, questionId }) => [`/p/${postId}/proof`, `/p/${questionId}/proof`] },
  'page.replyProof': { at: ({ replyId, answerId }) => [`/r/${replyId}/proof`, `/r/${answerId}/proof`] },
  'page.questions': {
    over: () => ['/questions', '/questions?order=newest', '/questions?order=waiting', '/questions?order=solved'],
  },
  'page.challenges': {
    over: () => ['/challenges', '/challenges?state=open', '/challenges?order=newest', '/challenges?order=pool'],
  },
  'page.challenge': {
    over: () => ['', '?outcome=right&karma=5'].map((query) => `/challenges/${unknownId('ch_')}${query}`),
  },
  'page.findings': { over: () => ['/findings', '/findings?all=1'] },
  'page.communities': { over: () => ['/communities', '/communities?order=newest'] },
  'page.community': { at: ({ slug }) => [`/c/${slug}`, `/c/${slug}?type=question`, `/c/${slug}?order=active`] },
  'page.agents': { over: () => ['/agents', '/agents?order=newest', '/agents?order=karma', '/agents?order=active'] },
  'page.agent': { over: () => EVERYBODY.flatMap((handle) => [`/a/${handle}`, `/a/${handle}?tab=findings`]) },
  'page.agentReplies': { over: () => EVERYBODY.map((handle) => `/a/${handle}/replies`) },
  'page.governance': {
    at: ({ slug, postId, replyId }) => [slug, postId, replyId].map((id) => `/governance?targetId=${id}`),
    over: () => [
      '/governance',
      '/governance?kind=remove_content',
      '/governance?group=content',
      '/governance?group=amendments',
    ],
  },
  'page.governanceEvent': { over: () => [`/governance/${unknownId('gov_')}`] },
  'page.eventProof': { over: () => [`/governance/${unknownId('gov_')}/proof`] },
  'page.constitution': { over: () => ['/constitution'] },
  'page.constitutionText': { over: () => [`/constitution/${'A'.repeat(43)}`] },
  'page.feedback': { over: () => ['/feedback'] },
  'page.feedbackItem': { over: () => [`/feedback/${unknownId('fb_')}`] },
  'page.meter': { over: () => ['/meter'] },
  'page.meterRun': { over: () => [`/meter/${unknownId('mrun_')}`] },
  'page.search': {
    at: ({ slug }) => [`/search?q=marker&community=${slug}`, `/search?q=marker&community=${slug}&type=reply`],
    over: () => [
      '/search',
      '/search?q=place',
      '/search?q=a&type=reply',
      '/search?q=a&since=day',
      ...Object.values(MARKERS).map((q) => `/search?q=${encodeURIComponent(q)}`),
    ],
  },
  'page.pulse': { over: () => ['/pulse'] },
};

export interface SeenPage {
  /** Which request this was, alike in both worlds. */
  readonly label: string;
  /** Its address, which it may repeat. */
  readonly path: string;
  readonly status: number;
  readonly text: string;
}

const KINDS = ['public', 'hidden', 'unknown'] as const;
const MOST_PAGES = 30;

/** Every page in every format, as a stranger's browser gets it, and all following pages of lists. */
export async function walkPages(world: World): Promise<SeenPage[]> {
  const seen: SeenPage[] = [];
  for (const page of PAGES) {
    const { at, over } = PAGE_WALKS[page.name]!;
    const named = KINDS.flatMap((kind) =>
      (at?.(world.targets[kind]) ?? []).map((path, n) => ({ path, label: `${page.name} at ${kind} #${n}` })),
    );
    const unnamed = (over?.(world) ?? []).map((path, n) => ({ path, label: `${page.name} over #${n}` }));
    for (const { path, label } of [...named, ...unnamed]) {
      for (const format of formatsOf(page))
        seen.push(...(await pagesFrom(world, inFormat(path, format), `${label} ${format}`)));
    }
  }
  for (const path of ['/sitemap.xml', '/communities.opml', '/robots.txt'])
    seen.push(...(await pagesFrom(world, path, path)));
  return seen;
}

const formatsOf = (page: Page): Format[] =>
  (Object.keys(FORMATS) as Format[]).filter(
    (format) => (!isFeed(format) || page.feed !== undefined) && (format !== 'image' || page.image !== undefined),
  );

async function pagesFrom({ forum }: World, path: string, label: string): Promise<SeenPage[]> {
  const seen: SeenPage[] = [];
  for (let next: string | undefined = path; next !== undefined && seen.length < MOST_PAGES; ) {
    const { status, headers, text: body } = await exchange(`${forum.url}${next}`, { headers: { accept: 'text/html' } });
    // Pictures have seals, which differ by chance. They show only what the page says.
    const shown = headers.get('content-type') === 'image/png' ? '' : body;
    const text: string = `${headers.get('location') ?? ''}\n${shown}`;
    seen.push({
      label: `${label}, page ${seen.length + 1}`,
      path: decodeURIComponent(next),
      status,
      text,
    });
    next = /<a href="([^"]+)" rel="next">/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  return seen;
}

/**
 * A page without what differs between two forums by chance: identifiers, keys and seals, times, cursors, hashes,
 * nonces; nor places in the log, in which hidden writes have leaves that reveal nothing.
 */
export const comparablePage = ({ label, status, text }: SeenPage) => ({
  label,
  status,
  text: text
    .replaceAll(/urn:agent-forum:[^:]+:/g, 'urn:agent-forum:<forum>:')
    .replaceAll(/<svg class="seal.*?<\/svg>/g, '<seal>')
    .replaceAll(/\b[a-z]{1,4}_[a-z0-9]{25}\b/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::[\d.]+Z| UTC)/g, '<time>')
    .replaceAll(/ag1-[\w-]{22}/g, '<agent>')
    .replaceAll(/ag1-[\w-]{8}/g, '<agent…>')
    .replaceAll(/cursor=[\w-]+/g, 'cursor=<cursor>')
    .replaceAll(/[\w-]{43,}/g, '<key>')
    .replaceAll(/<dt>Entry<\/dt>.*?<\/dl>|^- Entry: [\s\S]*?^- Witnesses: \d+$/gm, '<place>')
    .replaceAll(/^\s*\d{10}\n\s*[\w-]{22}$/gm, '<nonce>'),
});
