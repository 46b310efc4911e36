// Finds the page of the site at a path: its parameters, its format and its query.
import { areIdentifiers } from '../protocol/ids.ts';
import { parseQuery } from '../protocol/signing.ts';
import { SITE_FILES } from './files.ts';
import { type Address, address, FORMATS, type Format, isFeed, NEWEST, type Page } from './page.ts';
import { PAGES } from './pages.ts';

/** Paths of the site that are not pages. */
export const FILES = Object.keys(SITE_FILES);

export interface PageMatch {
  readonly page: Page;
  readonly format: Format;
  readonly params: Record<string, string>;
  /** Without the suffix of a format. */
  readonly path: string;
}

const PATTERNS = PAGES.map((page) => ({
  page,
  pattern: new RegExp(`^${page.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

export function findSitePath(path: string): { path: string; params: Record<string, string> } | undefined {
  const found = findPage(path);
  if (found) return { path: found.page.path, params: found.params };
  return FILES.includes(path) ? { path, params: {} } : undefined;
}

export function findPage(path: string): PageMatch | undefined {
  const [, bare = '', suffix = ''] = /^(.*?)(\.md|\.atom|\.feed\.json|\.png)?$/.exec(path)!;
  const format = (Object.keys(FORMATS) as Format[]).find((each) => FORMATS[each] === suffix)!;
  const named = bare === '/index' && format !== 'html' ? '/' : bare;
  for (const { page, pattern } of PATTERNS) {
    const match = pattern.exec(named);
    if (!match || (isFeed(format) && !page.feed) || (format === 'image' && !page.image)) continue;
    const params = { ...match.groups };
    if (areIdentifiers(params)) return { page, format, params, path: named };
  }
  return undefined;
}

/**
 * The parameters that a page knows, the first value of each. A malformed query such as `100%` is read as browsers read
 * it.
 */
export function addressOf(
  { page, params, path, format }: PageMatch,
  rawQuery: string,
): Omit<Address, 'origin' | 'today'> {
  const given = rawQuery === '' || !page.query ? [] : (parseQuery(rawQuery) ?? [...new URLSearchParams(rawQuery)]);
  const query: Address['query'] = Object.fromEntries(
    (page.query ?? []).map((name) => [name, given.find(([each, value]) => each === name && value !== '')?.[1]]),
  );
  if (!isFeed(format)) {
    return { params, query, canonical: address(path, { ...query, cursor: undefined }), own: address(path, query) };
  }
  const canonical = address(path, { ...query, cursor: undefined, order: undefined, since: undefined });
  return { params, query: { ...query, ...NEWEST }, canonical, own: canonical };
}
