import type { IncomingHttpHeaders } from 'node:http';
import { AUTH_HEADERS } from '../pipeline/authenticate.ts';
import type { HttpContext } from './operations.ts';

const DIFFERS_BY = 'x-svc-agent-id, x-svc-signature';

/**
 * Sets `ETag`, `Cache-Control` and `Vary` of a read. Returns true, with status 304, if the caller already has this answer. An
 * answer to a request with credentials is private, even if the credentials were not accepted. `differsBy` names further
 * request headers that the bytes of the answer depend on.
 */
export function answerUnchanged(koa: HttpContext, tag: string, differsBy: string | undefined): boolean {
  const { headers } = koa.req;
  koa.set('etag', tag);
  koa.set('cache-control', hasCredentials(headers) ? 'private, no-cache' : 'public, no-cache');
  koa.set('vary', differsBy === undefined ? DIFFERS_BY : `${DIFFERS_BY}, ${differsBy}`);
  const isUnchanged = isMatched(tag, headers['if-none-match']);
  if (isUnchanged) koa.status = 304;
  return isUnchanged;
}

const hasCredentials = (headers: IncomingHttpHeaders): boolean =>
  AUTH_HEADERS.some((name) => headers[name] !== undefined);

/**
 * Compares a tag weakly with an `If-None-Match` (RFC 9110, 13.1.2). Koa's `fresh` refuses any request with `Cache-Control: no-cache`,
 * which `fetch` adds to each request that has validators.
 */
export function isMatched(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = tag.slice(tag.indexOf('"'));
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([each]) => each === opaque);
}
