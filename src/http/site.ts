import type Router from '@koa/router';
import type { Config } from '../config.ts';
import { parseQuery } from '../formats/signing.ts';
import { pathParameters } from '../kernel/operation.ts';
import { type Address, address, FORMATS, type Format, inFormat, isFeed, type Page } from '../window/page.ts';
import { PAGES } from '../window/pages.ts';
import { Refused } from '../window/reading.ts';
import type { Shown, Site } from '../window/site.ts';
import { Document, readWeights } from './document.ts';
import { areIdentifiers, clientAddress, type HttpContext, type RequestState } from './operations.ts';

/** A page loads nothing from elsewhere, runs nothing that stands in it, and is shown in nobody's frame. */
const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "worker-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Shared caches may hold a page for so long; a browser asks each time. */
const PAGE_CACHE = 'public, max-age=0, s-maxage=5';
const ASSET_CACHE = 'public, max-age=31536000, immutable';
const FRONT = '/';

/** The pages for people in all their formats, what they load, and what crawlers look for. */
export function siteRoutes(router: Router<RequestState>, site: Site, config: Config): void {
  const documents = new WeakMap<Shown, Document>();
  const send = (koa: HttpContext, shown: Shown): Promise<void> => {
    const document =
      documents.get(shown) ?? new Document(shown.text, { cacheControl: PAGE_CACHE, vary: 'accept', isBrief: true });
    documents.set(shown, document);
    koa.set('content-type', shown.type);
    koa.set(PAGE_HEADERS);
    return document.answer(koa);
  };
  const visitor = (koa: HttpContext) => ({
    requestId: koa.state.requestId,
    traceId: koa.state.traceId,
    address: clientAddress(koa, config.trustProxy),
  });

  for (const page of PAGES) {
    const names = pathParameters(page.path);
    for (const [format, path] of formatsOf(page)) {
      router.register(path, ['GET'], async (koa, next) => {
        const isFront = page.path === FRONT && format === 'html';
        // For programs the root is what it always was.
        const first = isFront ? 'text/plain' : 'text/html';
        const type = format === 'html' ? preferredType(koa, first, 'text/html', 'text/markdown') : undefined;
        if (isFront) koa.set('vary', 'accept');
        if (type === 'text/plain') return next();
        const params = Object.fromEntries(names.map((name) => [name, koa.params[name] ?? '']));
        if (!areIdentifiers(params)) return next();
        koa.state.operation = page.name;
        const wanted = type === 'text/markdown' ? 'markdown' : format;
        try {
          const answer = await site.answer(page, addressOf(page, params, koa.state.rawQuery), wanted, visitor(koa));
          if ('shown' in answer) return await send(koa, answer.shown);
          koa.set('cache-control', PAGE_CACHE);
          const [page = '', place] = answer.redirect.split('#');
          koa.redirect(wanted === 'html' ? `${page}#${place}` : inFormat(page, wanted));
          koa.status = 303;
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          koa.set(error.headers as Record<string, string>);
          koa.status = error.status;
          await answerRefusal(koa, site, error.token);
        }
      });
    }
  }

  router.get('/assets/:file', async (koa, next) => {
    const asset = Object.values(await site.assets).find(({ path }) => path === koa.path);
    if (!asset) return next();
    const document = documents.get(asset) ?? new Document(asset.text, { cacheControl: ASSET_CACHE });
    documents.set(asset, document);
    koa.set('content-type', asset.type);
    koa.set('cross-origin-resource-policy', 'same-origin');
    await document.answer(koa);
  });

  const robots = new Document(
    `User-agent: *\nDisallow: /search\nDisallow: /*cursor=\n\nSitemap: ${site.origin}/sitemap.xml\n`,
  );
  router.get('/robots.txt', async (koa) => {
    koa.type = 'text/plain';
    await robots.answer(koa);
  });
  router.get('/sitemap.xml', async (koa) => {
    koa.state.operation = 'page.sitemap';
    await send(koa, await site.sitemap(visitor(koa)));
  });
}

/** Whoever asks like a browser for what is no part of the interface of programs is told in a page what went wrong. */
export const wantsPage = (koa: HttpContext): boolean =>
  (koa.method === 'GET' || koa.method === 'HEAD') &&
  !/^\/(?:v1|mcp)(?:\/|$)/.test(koa.path) &&
  preferredType(koa, 'application/json', 'text/html') === 'text/html';

/** The page of a refusal whose status is set. */
export async function answerRefusal(koa: HttpContext, site: Site, token: string): Promise<void> {
  const { status } = koa;
  const { type, text } = await site.refusal(status, token);
  koa.state.token = token;
  koa.set('content-type', type);
  koa.set('cache-control', 'no-store');
  koa.set(PAGE_HEADERS);
  koa.body = text;
  koa.status = status;
}

/** A page's formats, each with its path as the router writes it. */
function formatsOf(page: Page): [Format, string][] {
  const path = page.path.replaceAll(/\{(\w+)\}/g, ':$1');
  const formats = (Object.keys(FORMATS) as Format[]).filter((format) => !isFeed(format) || page.feed !== undefined);
  return formats.map((format) => [
    format,
    `${path === FRONT && format !== 'html' ? '/index' : path}${FORMATS[format]}`,
  ]);
}

/** What of a target a page knows; of what is given twice, the first. */
function addressOf(page: Page, params: Record<string, string>, rawQuery: string): Address {
  const given = parseQuery(rawQuery) ?? [];
  const query = Object.fromEntries(
    (page.query ?? []).map((name) => [name, given.find(([each, value]) => each === name && value !== '')?.[1]]),
  );
  const path = page.path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => params[name]!);
  return { params, query, canonical: address(path, { ...query, cursor: undefined }) };
}

/** Of some types the one that an `Accept` names and likes best; the first where it names none, or likes that as well. */
function preferredType(koa: HttpContext, ...types: readonly [string, ...string[]]): string {
  const weights = readWeights(koa.get('accept'));
  return types.reduce((best, type) => ((weights.get(type) ?? 0) > (weights.get(best) ?? 0) ? type : best));
}
