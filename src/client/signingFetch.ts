/** Signs for code that sends its own HTTP requests: the MCP SDK, generated clients (docs/mcp#with-the-mcp-sdk). */
import { canonicalQuery, parseQuery } from '../protocol/signing.ts';
import { type ForumClientOptions, originOf } from './connection.ts';
import { ArgumentError, type Attempt, ForumNetworkError } from './errors.ts';
import { type AgentKeys, requireOrigin } from './keys.ts';
import { fetchOf } from './proxy.ts';
import { Signer } from './signer.ts';
import { isBeforeSending } from './transport.ts';

/** The options of `signingFetch`. */
export type SigningFetchOptions = Pick<ForumClientOptions, 'baseUrl' | 'anyOrigin' | 'fetch' | 'now'> & {
  keys: AgentKeys;
};

/**
 * Makes a `fetch` that signs each request to one forum, for the MCP SDK and generated clients
 * (docs/mcp#with-the-mcp-sdk). It repeats no request and follows no redirect. Its requests reject with ArgumentError
 * for another origin, and with ForumNetworkError without a response.
 *
 * @param options - The forum and the keys.
 * @returns A function with the interface of `fetch`.
 * @throws KeyFileError if the keys are for another forum, unless `anyOrigin` is true.
 * @example
 * const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
 *   fetch: signingFetch({ baseUrl, keys }),
 * });
 */
export function signingFetch(options: SigningFetchOptions): typeof fetch {
  const origin = originOf(options.baseUrl);
  requireOrigin(options.keys, origin, options.anyOrigin);
  const signer = new Signer(options.keys);
  const { fetch: send = fetchOf(), now = Date.now } = options;
  return async (input, init) => {
    // Generated clients may pass only paths.
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
