/** The messages of MCP that the bridge reads and answers by itself, as JSON-RPC 2.0. */

import { adviceOn, asToolAdvice } from '../hints/advice.ts';
import { INVALID_REQUEST, rpcError } from '../protocol/jsonRpc.ts';
import type { Attempt, ForumNetworkError } from './errors.ts';
import { type LongLine, MAX_LINE_BYTES } from './lines.ts';
import type { DescribedMessage } from './mcpHeaders.ts';
import { outcomeOf, retryAfterOf } from './transport.ts';

const SERVER_ERROR = -32_000;

export type MessageId = string | number | null;

export interface Message extends DescribedMessage {
  id?: MessageId;
  params?: DescribedMessage['params'] & { requestId?: MessageId; arguments?: unknown };
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

/**
 * Where programs write the identifier: behind the version or last of all. As the last member it is the message's own, because what
 * is inside of a text has its quotes escaped.
 */
const ID = '"id"\\s*:\\s*(0|[1-9]\\d{0,14}|"[ !#-[\\]-~]*")';
const ID_AT_START = new RegExp(`^\\s*\\{\\s*(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?${ID}\\s*,`);
const ID_AT_END = new RegExp(`,\\s*${ID}\\s*\\}\\s*$`);

/** To a message that was not read: under its identifier where that is plain to see, so that nobody waits for an answer. */
export function tooLong({ start, end }: LongLine) {
  const [, id = 'null'] = ID_AT_START.exec(start) ?? ID_AT_END.exec(end) ?? [];
  const bound = MAX_LINE_BYTES.toLocaleString('en');
  return rpcError(JSON.parse(id), {
    code: INVALID_REQUEST,
    message: `too_large: a message has at most ${bound} bytes`,
  });
}

const ASK_BY_NONCE =
  'It may have been applied. Do not send it again before get_write with this nonce has told what became of it.';

/** For people, of a call whose answer nobody waits for any more (docs/mcp#the-bridge). */
export const cancelled = ({ nonce }: Attempt): string => `A call was cancelled, its nonce is ${nonce}. ${ASK_BY_NONCE}`;

/**
 * No answer came. A call may have been carried out all the same, so the model is told how to find out: by the attempt, or by what
 * `hint` says of what has no nonce.
 */
export function lost({ id = null, method }: Message, error: ForumNetworkError, hint?: string): Answer {
  const { message, attempt, isUnsent } = error;
  if (method !== 'tools/call') return serverError(id, message);
  const told = isUnsent ? {} : { ...attempt, hint: hint ?? (attempt ? ASK_BY_NONCE : undefined) };
  return failedCall(id, { error: 'network', message, ...told });
}

/** The forum answered, but not in JSON-RPC: with an error of its own, or it was somebody else who answered. */
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
  // The tool is not known here, so that no advice of its operation applies; what applies to all names `write.read` alone.
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

/** Whether it can be passed on as JSON-RPC, looked into and written down again. */
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
