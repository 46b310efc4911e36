// JSON-RPC 2.0 and the parts of MCP that a stateless server of tools needs.
import { type RpcFault, rpcError } from '../formats/jsonRpc.ts';
import { MCP_VERSION, SERVICE, SERVICE_TITLE, VERSION } from '../formats/service.ts';

/** Who answers, as every revision says it. */
export const SERVER_INFO = { name: SERVICE, title: SERVICE_TITLE, version: VERSION };

/**
 * Versions of the header that are understood after `initialize`, which always answers ours (docs/mcp#revisions); the newest
 * needs none.
 */
export const ACCEPTED_VERSIONS: readonly string[] = [MCP_VERSION, '2025-03-26'];

export const RESOURCE_NOT_FOUND = -32_002;

type MessageId = string | number;

export interface RpcRequest {
  readonly kind: 'request';
  readonly id: MessageId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a body turned out to be. Notifications and responses want no answer. */
export type RpcMessage =
  | RpcRequest
  | { readonly kind: 'silent' }
  | { readonly kind: 'invalid'; readonly id: MessageId | null };

/** Reads one message; a batch is invalid in this revision. */
export function readMessage(value: unknown): RpcMessage {
  if (!isObject(value)) return { kind: 'invalid', id: null };
  const { jsonrpc, id, method, params } = value;
  const isId = isMessageId(id);
  const shownId = isId ? id : null;
  if (jsonrpc !== '2.0') return { kind: 'invalid', id: shownId };
  if (typeof method !== 'string') {
    const isResponse = isId && ('result' in value || 'error' in value);
    return isResponse ? { kind: 'silent' } : { kind: 'invalid', id: shownId };
  }
  if (params !== undefined && !isObject(params)) return { kind: 'invalid', id: shownId };
  if (id === undefined) return { kind: 'silent' };
  return isId ? { kind: 'request', id, method, params: params ?? {} } : { kind: 'invalid', id: null };
}

/** A larger number would come back as another one. */
const isMessageId = (id: unknown): id is MessageId =>
  typeof id === 'string' || (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER);

/** The id of a message that is refused as it stands, as far as JSON.parse reads it; null where there is none. */
export function readId(bytes: Buffer): MessageId | null {
  try {
    const message: unknown = JSON.parse(bytes.toString());
    return isObject(message) && isMessageId(message.id) ? message.id : null;
  } catch {
    return null;
  }
}

/** JSON in UTF-8 to the end of the answer, and what comes before it. */
export type InPieces = readonly [before: string, ...closed: Buffer[]];

/** What closes a result, and the answer with it. */
export const CLOSING = '}}';

/**
 * The answer as JSON: one text, or in pieces where the members of its result, which are JSON already, are bytes, closed as
 * `ToolResults` has them. `further` are members before them, as JSON text with their commas.
 */
export function rpcResult(id: MessageId, members: string | readonly Buffer[], further = ''): string | InPieces {
  const before = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${further}`;
  return typeof members === 'string' ? `${before}${members}${CLOSING}` : [before, ...members];
}

export const errorText = (id: MessageId | null, error: RpcFault): string => JSON.stringify(rpcError(id, error));

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
