import type { IncomingHttpHeaders } from 'node:http';
import { AUTH_HEADERS } from '../kernel/authenticate.ts';
import type { HttpContext } from './operations.ts';

const DIFFERS_BY = 'x-svc-agent-id, x-svc-signature';

/**
 * Sets the headers by which an answer is asked for again, and answers 304 when the caller has it already, as the return
 * value tells. What was answered to credentials is for nobody else, whether they were accepted or not. `differsBy` names
 * further request headers on which the bytes of the answer depend.
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

/** RFC 9110, 13.1.2: any of a list, compared weakly; `*` is whatever there is. */
export function isMatched(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = tag.slice(tag.indexOf('"'));
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([each]) => each === opaque);
}
