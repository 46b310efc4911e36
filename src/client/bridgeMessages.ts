import { adviceOn, asToolAdvice } from '../hints/advice.ts';
import { INVALID_REQUEST, rpcError } from '../protocol/jsonRpc.ts';
import type { Attempt, ForumNetworkError } from './errors.ts';
import { type LongLine, MAX_LINE_BYTES } from './lines.ts';
import { outcomeOf, retryAfterOf } from './transport.ts';

const SERVER_ERROR = -32_000;

export type MessageId = string | number | null;

export interface Message {
  id?: MessageId;
  method?: string;
  params?: { name?: unknown; uri?: unknown; _meta?: unknown; requestId?: MessageId; arguments?: unknown };
}

export interface Answer {
  id?: MessageId | undefined;
  jsonrpc?: string;
  result?: {
    protocolVersion?: string;
    instructions?: string;
    tools?: { name: string }[];
    isError?: boolean;
    content?: { type?: string; text?: string }[];
  };
}

export const isUnauthorized = ({ result }: Answer): boolean =>
  result?.isError === true && result.content?.[0]?.text === '{"error":"unauthorized"}';

/** Programs write the id after the version or last. Quotes in a text are escaped, so a match at the end is the id. */
const ID = '"id"\\s*:\\s*(0|[1-9]\\d{0,14}|"[ !#-[\\]-~]*")';
const ID_AT_START = new RegExp(`^\\s*\\{\\s*(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?${ID}\\s*,`);
const ID_AT_END = new RegExp(`,\\s*${ID}\\s*\\}\\s*$`);

/** Answers a message that was not read, under its id if that is found at its start or end. */
export function tooLong({ start, end }: LongLine) {
  const [, id = 'null'] = ID_AT_START.exec(start) ?? ID_AT_END.exec(end) ?? [];
  const bound = MAX_LINE_BYTES.toLocaleString('en');
  return rpcError(JSON.parse(id), {
    code: INVALID_REQUEST,
    message: `too_large: a message has at most ${bound} bytes`,
  });
}

const ASK_BY_NONCE =
  'The write may be stored. Before you send it again, call get_write with this nonce to learn its outcome.';

export const cancelled = ({ nonce }: Attempt): string => `A call was cancelled, its nonce is ${nonce}. ${ASK_BY_NONCE}`;

/** A call may still have been carried out, so the model learns how to find out, by the nonce or by `hint`. */
export function lost({ id = null, method }: Message, error: ForumNetworkError, hint?: string): Answer {
  const { message, attempt, isUnsent } = error;
  if (method !== 'tools/call') return serverError(id, message);
  const told = isUnsent ? {} : { ...attempt, hint: hint ?? (attempt ? ASK_BY_NONCE : undefined) };
  return failedCall(id, { error: 'network', message, ...told });
}

export function refusalMessage(
  { id = null, method, params }: Message,
  { status, headers }: Response,
  body: unknown,
  attempt: Attempt | null,
): Answer {
  const report = Object(body) as { error?: unknown; field?: string; maxBytes?: number };
  const { error: token, field, maxBytes } = report;
  if (typeof token !== 'string') {
    if (method !== 'tools/call') return serverError(id, `unexpected answer with status ${status}`);
    return failedCall(id, {
      error: 'unexpected_response',
      status,
      ...attempt,
      hint: attempt ? ASK_BY_NONCE : undefined,
    });
  }
  if (method !== 'tools/call') return serverError(id, token);
  // The bridge does not know the tool, so only advice that applies to every operation is given. It names `write.read`
  // alone.
  const refused = { token, field, maxBytes, outcome: outcomeOf(headers), nonce: attempt?.nonce };
  const { hint } = adviceOn(refused, { schema: {}, input: params?.arguments });
  const advice = asToolAdvice(hint, (operation) => (operation === 'write.read' ? 'get_write' : undefined));
  const told = { hint: advice || undefined, retryAfterSeconds: retryAfterOf(headers) };
  return failedCall(id, { ...report, status, ...attempt, ...told });
}

const serverError = (id: MessageId, message: string) => rpcError(id, { code: SERVER_ERROR, message });

const failedCall = (id: MessageId, report: object) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: JSON.stringify(report) }], isError: true },
});

export function isAnswer(body: unknown): body is Answer {
  const { jsonrpc, result = {} } = Object(body) as { jsonrpc?: unknown; result?: unknown };
  return jsonrpc === '2.0' && typeof result === 'object' && result !== null;
}

export function parseMessage(bytes: Uint8Array): Message | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The revision that a message names in `_meta`. Revisions before 2026-07-28 name none. */
export function revisionOf({ params }: Message): string | undefined {
  const version = (params?._meta as Record<string, unknown> | null | undefined)?.[VERSION_KEY];
  return typeof version === 'string' ? version : undefined;
}

/** The headers of revision 2026-07-28, or of the one that `initialize` agreed on (docs/mcp#revisions). */
export function mcpHeaders(message: Message, agreed: string | undefined): Record<string, string> {
  const { method, params } = message;
  const version = revisionOf(message);
  if (version === undefined || method === undefined) return agreed ? { 'mcp-protocol-version': agreed } : {};
  const name = method === 'resources/read' ? params?.uri : params?.name;
  return {
    'mcp-protocol-version': plain(version),
    'mcp-method': plain(method),
    ...(typeof name === 'string' ? { 'mcp-name': plain(name) } : {}),
  };
}

/** Encodes a value that is not visible ASCII, or looks like an encoded one, as `=?base64?…?=`. */
function plain(value: string): string {
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
