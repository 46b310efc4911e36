// JSON-RPC 2.0 and the parts of MCP that a stateless server of tools needs.
import { type RpcFault, rpcError } from '../protocol/jsonRpc.ts';
import { MCP_VERSION, SERVICE, SERVICE_TITLE, VERSION } from '../protocol/service.ts';

export const SERVER_INFO = { name: SERVICE, title: SERVICE_TITLE, version: VERSION };

/** Accepted in the header after `initialize`, which always returns ours (docs/mcp#revisions). */
export const ACCEPTED_VERSIONS: readonly string[] = [MCP_VERSION, '2025-03-26'];

export const RESOURCE_NOT_FOUND = -32_002;

type MessageId = string | number;

export interface RpcRequest {
  readonly kind: 'request';
  readonly id: MessageId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Notifications and responses are silent: they get no answer. */
export type RpcMessage =
  | RpcRequest
  | { readonly kind: 'silent' }
  | { readonly kind: 'invalid'; readonly id: MessageId | null };

/** Reads one message. Batches are invalid. */
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

/** A larger number would be returned as another one. */
const isMessageId = (id: unknown): id is MessageId =>
  typeof id === 'string' || (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER);

/** The id of a message that is refused unread; null if there is none. */
export function readId(bytes: Buffer): MessageId | null {
  try {
    const message: unknown = JSON.parse(bytes.toString());
    return isObject(message) && isMessageId(message.id) ? message.id : null;
  } catch {
    return null;
  }
}

/** Parts of a response that are sent one after the other: text of this call, and cached bytes. */
export type Pieces = readonly (string | Buffer)[];

export const membersIn = (result: object): Buffer => Buffer.from(JSON.stringify(result).slice(1, -1));

/** Writes a response. `further` are members before `members`, each followed by a comma. */
export const rpcResult = (id: MessageId, members: Pieces, further = ''): Pieces => [
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${further}`,
  ...members,
  '}}',
];

export const errorText = (id: MessageId | null, error: RpcFault): string => JSON.stringify(rpcError(id, error));

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
