/** Lets pages of other origins read what everyone may read, by CORS (docs/access#from-pages-of-other-origins). */
import type Koa from 'koa';
import type { DiscoveryDocument } from '../discovery/documents.ts';
import { type HttpContext, isSigned, type RequestState } from './request.ts';

/** True for a path that pages of other origins may read: all of `/v1`, and the documents. */
export type IsOpenPath = (koa: HttpContext) => boolean;

/** Leaves out the search index of the site: caches keep its first response for a year, even of a signed request. */
export function openPaths(documents: readonly DiscoveryDocument[]): IsOpenPath {
  const paths = new Set(documents.flatMap((document) => (document.isSearchIndex ? [] : [document.path])));
  return ({ req: { url = '' }, path }) => url.startsWith('/v1/') || paths.has(path);
}

const METHODS = ['GET', 'HEAD'];

/** Signed reads are for their caller alone. */
export const isOpenRead = (koa: HttpContext, isOpenPath: IsOpenPath): boolean =>
  METHODS.includes(koa.method) && isOpenPath(koa) && !isSigned(koa);

export const OPEN_READ_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, retry-after, x-request-id',
} as const;

const PREFLIGHT_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': METHODS.join(', '),
  // Headers of signatures are missing, so that a browser does not send a request whose response it would withhold.
  'access-control-allow-headers': 'content-type, if-none-match, traceparent, x-svc-as-of',
  'access-control-max-age': '7200',
};

/**
 * Answers the question that a browser asks before a GET with further headers. It does not depend on the route, because
 * the page may also read a refusal. Other OPTIONS requests are refused like any unknown method.
 */
export function answerPreflights(isOpenPath: IsOpenPath): Koa.Middleware<RequestState> {
  return (koa, next) => {
    const asked = koa.req.headers['access-control-request-method'];
    if (koa.method !== 'OPTIONS' || asked === undefined || !METHODS.includes(asked) || !isOpenPath(koa)) return next();
    koa.set(PREFLIGHT_HEADERS);
    koa.status = 204;
  };
}
