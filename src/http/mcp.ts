import type { DiscoveryDocument } from '../discovery/documents.ts';
import { DOORS, type Door } from '../mcp/doors.ts';
import { isModern, modernFault } from '../mcp/modern.ts';
import { ACCEPTED_VERSIONS, errorText, type Pieces, type RpcRequest, readId, readMessage } from '../mcp/protocol.ts';
import type { McpServer, RequestWith } from '../mcp/server.ts';
import { forbidden, invalid } from '../operation/errors.ts';
import { MAX_BODY_BYTES } from '../operation/schemas.ts';
import type { Services } from '../pipeline/execute.ts';
import { parseIJson } from '../platform/codec/ijson.ts';
import { INVALID_REQUEST, PARSE_ERROR, type RpcFault } from '../protocol/jsonRpc.ts';
import { MCP_VERSION, MCP_VERSIONS } from '../protocol/service.ts';
import { parseQuery } from '../protocol/signing.ts';
import { type OperationRoutes, operationRequest } from './operations.ts';
import { type HttpContext, isJsonType, readBody } from './request.ts';
import { sendJson, sendPieces } from './response.ts';

/** Stateless Streamable HTTP (docs/mcp): one message a request, one JSON response, no streams and no sessions. */
export function mcpRoutes({ serve }: Pick<OperationRoutes, 'serve'>, services: Services, server: McpServer): void {
  const answer = (door: Door) => async (koa: HttpContext) => {
    koa.state.operation = 'mcp.message';
    requireOwnOrigin(koa, services.config.publicBaseUrl);
    const body = await readBody(koa, MAX_BODY_BYTES);
    const query = parseQuery(koa.state.rawQuery);
    if (!query) throw invalid();
    if (!isJsonType(koa.req.headers['content-type'])) return reply(koa, 400, unreadable(body, NO_JSON_TYPE));
    const parsed = parseIJson(body);
    if (!parsed.ok) return reply(koa, 400, unreadable(body, parsed.field && ` at ${parsed.field}`));
    const message = readMessage(parsed.value);
    if (message.kind === 'invalid') return reply(koa, 400, errorText(message.id, INVALID_MESSAGE));
    if (message.kind === 'silent') {
      koa.body = null;
      koa.status = 202;
      return;
    }
    const headerOf = (name: string) => koa.req.headers[name] as string | undefined;
    const modern = isModern(message, headerOf);
    const fault = modern ? modernFault(message, headerOf) : versionFault(message, headerOf('mcp-protocol-version'));
    if (fault) return reply(koa, 400, errorText(message.id, fault));
    const requestWith: RequestWith = (input) => operationRequest(koa, services, { body, query, input });
    const answered = await server.answer(door, message, requestWith, modern);
    const { operation, agentId, token, log, headers, status = 200 } = answered;
    if (operation) koa.state.operation = operation;
    koa.state.agentId = agentId;
    koa.state.token = token;
    if (log) koa.state.log = log;
    koa.set(headers);
    return reply(koa, status, answered.body);
  };
  for (const door of DOORS) serve('POST', door, answer(door));
}

/** `/mcp/tools` and `/.well-known/mcp.json` (docs/mcp#doors). */
export function mcpDocuments({ doors, inventory }: McpServer): DiscoveryDocument[] {
  const endpoints = {
    ...doors[0],
    transport: 'streamable-http',
    protocolVersion: MCP_VERSION,
    protocolVersions: MCP_VERSIONS,
    auth: 'optional-signature',
    doors,
  };
  return [
    { path: '/mcp/tools', type: 'json', text: inventory },
    { path: '/.well-known/mcp.json', type: 'json', text: () => JSON.stringify(endpoints) },
  ];
}

/** The error for a body that is not I-JSON (docs/formats#json-bodies), with the id of the message, if any. */
const unreadable = (body: Buffer, why = ''): string =>
  errorText(readId(body), { code: PARSE_ERROR, message: `Parse error${why}` });

const NO_JSON_TYPE = ': send Content-Type: application/json';

const INVALID_MESSAGE = { code: INVALID_REQUEST, message: 'Invalid Request' };

/** After `initialize` a header names the negotiated revision. */
function versionFault({ method }: RpcRequest, version: string | undefined): RpcFault | undefined {
  if (method === 'initialize' || version === undefined || ACCEPTED_VERSIONS.includes(version)) return undefined;
  return { code: INVALID_REQUEST, message: 'Unsupported MCP-Protocol-Version', data: { supported: MCP_VERSIONS } };
}

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/** Refuses browser requests of other origins. By default only loopback is allowed: other hosts may be DNS rebinding. */
function requireOwnOrigin(koa: HttpContext, publicBaseUrl: string | undefined): void {
  const { origin, host = '' } = koa.req.headers;
  if (origin === undefined) return;
  const local = LOOPBACK_HOST.test(host) ? [`http://${host}`, `https://${host}`] : [];
  const own = publicBaseUrl === undefined ? local : [publicBaseUrl];
  if (!own.includes(origin)) throw forbidden();
}

function reply(koa: HttpContext, status: number, body: string | Pieces): Promise<void> {
  koa.status = status;
  return typeof body === 'string' ? sendJson(koa, body) : sendPieces(koa, body);
}
