import type Koa from 'koa';
import type { DiscoveryDocument } from '../discovery/documents.ts';
import { Refusal } from '../operation/errors.ts';
import type { Services } from '../pipeline/run.ts';
import { lazy } from '../platform/lazy.ts';
import { isSiteFile } from '../web/files.ts';
import { addressOf, findPage, type PageMatch } from '../web/findPage.ts';
import { PAGE_HEADERS } from '../web/headers.ts';
import { Refused } from '../web/reading.ts';
import type { Shown, Site } from '../web/site.ts';
import type { GuidePage } from '../web/view/guide.tsx';
import { clientAddress, type HttpContext, type RequestState } from './request.ts';
import { Document, type DocumentOptions, NOT_KEPT } from './response.ts';

/** Shared caches may hold a page for 5 s (docs/window#how-fresh-a-page-is). Browsers ask each time. */
const PAGE_CACHE = 'public, max-age=0, s-maxage=5';
const ASSET_CACHE = 'public, max-age=31536000, immutable';
const METHODS = ['GET', 'HEAD'];
const ASSET = /^\/assets\//;
const PICTURE = /^image\//;

/** Leads from an address with a slash at its end to the page without it. Addresses for programs stay exact. */
export const slashRedirects =
  (isThere: (path: string) => boolean): Koa.Middleware<RequestState> =>
  async (koa, next) => {
    const { path } = koa;
    // Paths of pages and documents begin with one slash, so the address cannot be one of another host.
    const bare = path.slice(0, -1);
    if (!path.endsWith('/') || !METHODS.includes(koa.method) || !isThere(bare)) return next();
    koa.state.operation = 'page.redirect';
    koa.set('cache-control', PAGE_CACHE);
    koa.redirect(`${bare}${koa.search}`);
    koa.status = 308;
  };

export function siteRoutes(site: Site, services: Services): Koa.Middleware<RequestState> {
  const documents = new WeakMap<object, Document>();

  return async (koa, next) => {
    const { path } = koa;
    const found = findPage(path);
    const isFile = isSiteFile(path) || ASSET.test(path);
    // Programs get a document at the root.
    const type = found && preferredType(koa, path === '/' ? 'text/plain' : 'text/html', 'text/html', 'text/markdown');
    if (path === '/') koa.set('vary', 'accept');
    if ((!found && !isFile) || type === 'text/plain') return next();
    if (!METHODS.includes(koa.method)) throw new Refusal('method_not_allowed', { allow: METHODS });
    if (!found) return (await sendFile(koa)) || next();
    const format = found.format === 'html' && type === 'text/markdown' ? 'markdown' : found.format;
    koa.state.operation = found.page.name;
    const { page, params, path: bare } = found;
    return sendPage(koa, { page, params, path: bare, format });
  };

  async function sendPage(koa: HttpContext, found: PageMatch): Promise<void> {
    const { page, format } = found;
    try {
      const address = { origin: site.origin, ...addressOf(found, koa.state.rawQuery) };
      const { shown } = await site.answer(page, address, format, visitorOf(koa));
      await sendShown(koa, shown);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      koa.set(error.headers as Record<string, string>);
      koa.status = error.status;
      // Feeds and pictures have no format for errors, so these get JSON or a page.
      if (format === 'html' || format === 'markdown') {
        const removal = error.token === 'not_found' ? await site.removal(found.params, visitorOf(koa)) : undefined;
        return answerRefusalPage(koa, site, error.token, { format, removal });
      }
      throw new Refusal(error.token);
    }
  }

  function sendShown(koa: HttpContext, shown: Shown): Promise<void> {
    koa.set(PAGE_HEADERS);
    const options = { vary: 'accept', isBrief: true, isCompressed: PICTURE.test(shown.type) };
    return sendDocument(koa, shown, shown.bytes, { cacheControl: PAGE_CACHE, ...options });
  }

  /** Sends what the site rendered, as one `Document` for as long as the site keeps it. */
  function sendDocument(
    koa: HttpContext,
    rendered: { readonly type: string },
    content: string | Buffer,
    options: DocumentOptions,
  ): Promise<void> {
    const document = documents.get(rendered) ?? new Document(content, options);
    documents.set(rendered, document);
    koa.set('content-type', rendered.type);
    return document.answer(koa);
  }

  async function sendFile(koa: HttpContext): Promise<boolean> {
    if (isSiteFile(koa.path)) {
      koa.state.operation = koa.path === '/sitemap.xml' ? 'page.sitemap' : 'page.file';
      const shown = await site.file(koa.path, visitorOf(koa)).catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        koa.set(error.headers as Record<string, string>);
        throw new Refusal(error.token);
      });
      await sendShown(koa, shown);
      return true;
    }
    const asset = Object.values(await site.assets).find(({ path }) => path === koa.path);
    if (!asset) return false;
    koa.state.operation = 'page.asset';
    koa.set('cross-origin-resource-policy', 'same-origin');
    await sendDocument(koa, asset, asset.text, { cacheControl: ASSET_CACHE });
    return true;
  }

  function visitorOf(koa: HttpContext) {
    const { requestId, traceId } = koa.state;
    return { requestId, traceId, address: clientAddress(koa, services) };
  }
}

/** True if a refusal is sent as a page: to a browser, outside the interface for programs. */
export const wantsPage = (koa: HttpContext): boolean =>
  METHODS.includes(koa.method) &&
  !/^\/(?:v1|mcp)(?:\/|$)/.test(koa.path) &&
  preferredType(koa, 'application/json', 'text/html') === 'text/html';

export async function answerRefusalPage(
  koa: HttpContext,
  site: Site,
  token: string,
  shown: Omit<Parameters<Site['refusal']>[2], 'path'> = { format: 'html' },
): Promise<void> {
  const { status } = koa;
  const { type, bytes } = await site.refusal(status, token, { path: koa.path, ...shown });
  koa.state.token = token;
  koa.set('content-type', type);
  koa.set(NOT_KEPT);
  koa.set(PAGE_HEADERS);
  koa.body = bytes;
  koa.status = status;
}

/** The type that the caller prefers, or the first one if it accepts none of them. */
const preferredType = (koa: HttpContext, ...types: readonly [string, ...string[]]): string =>
  koa.accepts(...types) || types[0];

/** Returns the lookup of documents by path. A router would try the pattern of each of the many documents. */
export function documentFinder(documents: readonly DiscoveryDocument[]) {
  const index = documents.find(({ isSearchIndex }) => isSearchIndex)!;
  const declared = new Map(documents.filter((each) => each !== index).map((each) => [each.path, each]));
  return (path: string) => declared.get(path) ?? (ASSET.test(path) && path === index.path ? index : undefined);
}

export function documentRoutes(documents: readonly DiscoveryDocument[], site: Site): Koa.Middleware<RequestState> {
  const index = documents.find(({ isSearchIndex }) => isSearchIndex)!;
  const find = documentFinder(documents);
  const book = lazy(() => ({
    contents: documents.flatMap(({ path, guide }) => (guide ? { path, title: guide.title(), group: guide.group } : [])),
    index: index.path,
  }));
  const pageOf = ({ path, text, guide }: Required<Pick<DiscoveryDocument, 'path' | 'text' | 'guide'>>): GuidePage => ({
    path,
    title: guide.title(),
    description: guide.description?.(),
    markdown: text(),
    source: guide.source,
  });
  const rendered = new Map<string, Promise<Document>>();
  const render = async ({ path, text, guide, isSearchIndex }: DiscoveryDocument): Promise<Document> =>
    new Document(
      guide ? await site.guide(pageOf({ path, text, guide }), book()) : text(),
      isSearchIndex ? { cacheControl: ASSET_CACHE } : {},
    );
  const documentOf = (found: DiscoveryDocument): Promise<Document> => {
    const document = rendered.get(found.path) ?? render(found);
    if (found.passes || rendered.has(found.path)) return document;
    document.catch(() => rendered.delete(found.path));
    rendered.set(found.path, document);
    return document;
  };
  return async (koa, next) => {
    const named = find(koa.path);
    if (named === undefined) return next();
    if (!METHODS.includes(koa.method)) throw new Refusal('method_not_allowed', { allow: METHODS });
    const twin = named.guide && find(`${named.path}.md`);
    const found = twin && preferredType(koa, 'text/html', 'text/markdown') === 'text/markdown' ? twin : named;
    const { type, guide } = found;
    koa.type = type;
    if (guide) koa.set(PAGE_HEADERS);
    const answer = found.answerQuery?.(new URLSearchParams(koa.state.rawQuery));
    if (answer === undefined) await (await documentOf(found)).answer(koa);
    else koa.body = answer;
    if (twin) koa.vary('accept');
  };
}
