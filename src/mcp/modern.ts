/** Revision 2026-07-28 has no `initialize`: each request names it in `_meta` and headers (docs/mcp#revisions). */
import { INVALID_PARAMS, type RpcFault } from '../protocol/jsonRpc.ts';
import { MCP_VERSIONS, MODERN_MCP_VERSION } from '../protocol/service.ts';
import { isObject, type RpcRequest, SERVER_INFO } from './protocol.ts';

const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_VERSION = -32_022;

const META = 'io.modelcontextprotocol/';
const REVISION = `${META}protocolVersion`;
/** Lists and documents do not change while a process runs, and only grow with a release. */
const TTL_MS = 3_600_000;

/** By its name in lower case. */
type HeaderOf = (name: string) => string | undefined;

const metaOf = ({ params }: RpcRequest): Record<string, unknown> => (isObject(params._meta) ? params._meta : {});

const nameOf = ({ method, params }: RpcRequest): unknown =>
  method === 'tools/call' ? params.name : method === 'resources/read' ? params.uri : undefined;

/** True if a request names its revision. `initialize` belongs to earlier revisions unless it does. */
export function isModern(message: RpcRequest, headerOf: HeaderOf): boolean {
  if (REVISION in metaOf(message) || message.method === 'server/discover') return true;
  return message.method !== 'initialize' && headerOf('mcp-protocol-version') === MODERN_MCP_VERSION;
}

/** The reason for a 400 (docs/mcp#revisions). It repeats nothing of the message. */
export function modernFault(message: RpcRequest, headerOf: HeaderOf): RpcFault | undefined {
  const meta = metaOf(message);
  const version = meta[REVISION];
  if (typeof version !== 'string') return missing('protocolVersion');
  if (!isObject(meta[`${META}clientCapabilities`])) return missing('clientCapabilities');
  if (headerOf('mcp-protocol-version') !== version) return mismatch('MCP-Protocol-Version');
  if (version !== MODERN_MCP_VERSION) {
    const data = { supported: MCP_VERSIONS, requested: version };
    return { code: UNSUPPORTED_VERSION, message: 'Unsupported protocol version', data };
  }
  if (headerOf('mcp-method') !== message.method) return mismatch('Mcp-Method');
  const name = nameOf(message);
  return typeof name === 'string' && decoded(headerOf('mcp-name')) !== name ? mismatch('Mcp-Name') : undefined;
}

const missing = (key: string): RpcFault => ({ code: INVALID_PARAMS, message: `_meta must contain ${META}${key}` });

const mismatch = (header: string): RpcFault => ({
  code: HEADER_MISMATCH,
  message: `Header mismatch: ${header} must have the same value as the body`,
});

/** Values that are not plain ASCII are base64 between marks. */
function decoded(value: string | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value ?? '') ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}

const NAMED = JSON.stringify({ [`${META}serverInfo`]: SERVER_INFO });

export const ALSO_MODERN = `"resultType":"complete","_meta":${NAMED},`;

/** The same with hints for caches, for a result that is the same for everybody. */
export const ALSO_LASTING = `${ALSO_MODERN}"ttlMs":${TTL_MS},"cacheScope":"public",`;
