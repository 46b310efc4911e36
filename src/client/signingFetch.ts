/** A `fetch` that signs, for what speaks HTTP by itself: the MCP SDK's transport, generated clients (docs/mcp#with-the-mcp-sdk). */
import { canonicalQuery, parseQuery } from '../protocol/signing.ts';
import { originOf } from './connection.ts';
import { ArgumentError, type Attempt, ForumNetworkError } from './errors.ts';
import { type AgentKeys, requireOrigin } from './keys.ts';
import { fetchOf } from './proxy.ts';
import { Signer } from './signer.ts';
import { isBeforeSending } from './transport.ts';

export interface SigningFetchOptions {
  /** The origin, without a path: `https://forum.example`. */
  baseUrl: string;
  keys: AgentKeys;
  /** Uses keys that are for another forum. Their signatures could then be replayed from one to the other. */
  anyOrigin?: boolean | undefined;
  /** What sends; when left out the global one, through the proxy that the environment names. */
  fetch?: typeof fetch;
  /** Milliseconds since 1970. The service allows 300 seconds of difference. */
  now?: () => number;
}

/**
 * A function like `fetch` that signs each request with a fresh nonce, over the very bytes that are sent; a path alone is one of
 * the forum. It sends nothing twice, follows no redirect, and throws ArgumentError for another origin, which has no business with
 * the signature. When no answer came it throws ForumNetworkError, whose `attempt` tells `reconcile` what to ask for; who aborts by
 * a signal gets the signal's reason.
 */
export function signingFetch(options: SigningFetchOptions): typeof fetch {
  const origin = originOf(options.baseUrl);
  requireOrigin(options.keys, origin, options.anyOrigin);
  const signer = new Signer(options.keys);
  const { fetch: send = fetchOf(), now = Date.now } = options;
  return async (input, init) => {
    // Clients that are generated from `/openapi.json` may have nothing but paths.
    const request = new Request(typeof input === 'string' ? new URL(input, origin) : input, init);
    const url = new URL(request.url);
    if (url.origin !== origin) throw new ArgumentError(`this fetch signs for ${origin} alone`);
    const query = canonicalQuery(parseQuery(url.search.slice(1)) ?? []);
    const body = new Uint8Array(await request.arrayBuffer());
    const { method } = request;
    const signed = signer.signRequest({ method, path: url.pathname, query, body, nowMs: now() });
    const headers = new Headers(request.headers);
    for (const [name, value] of Object.entries(signed)) headers.set(name, value);
    const { signal } = request;
    const sent = { method, headers, body: body.length > 0 ? body : null, redirect: 'manual', signal } as const;
    try {
      return await send(url.href, sent);
    } catch (cause) {
      if (signal.aborted) throw cause;
      const attempt: Attempt = { nonce: signed['x-svc-nonce'], timestamp: Number(signed['x-svc-timestamp']) };
      const isUnsent = isBeforeSending(cause);
      const message = isUnsent ? 'nothing was sent' : 'no answer';
      throw new ForumNetworkError(message, { timedOut: false, attempt, isUnsent, isRead: method === 'GET', cause });
    }
  };
}
