/** The messages of MCP that the bridge reads and answers by itself, as JSON-RPC 2.0. */
import type { Attempt } from './errors.ts';
import type { DescribedMessage } from './mcpHeaders.ts';

export const PARSE_ERROR = -32_700;
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

export const rpcError = (id: MessageId, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

/** No answer came. A call may have been carried out all the same, so the model is told how to find out: by the attempt, where one was sent. */
export function lost(message: Message, reason: string, attempt: Attempt | null): Answer {
  const { id = null, method } = message;
  if (method !== 'tools/call') return rpcError(id, SERVER_ERROR, reason);
  const hint =
    attempt &&
    'It may have been applied. Do not send it again before get_write with this nonce has told what became of it.';
  return failedCall(id, { error: 'network', message: reason, ...attempt, ...(hint ? { hint } : {}) });
}

/** The forum answered, but not in JSON-RPC: with an error of its own, or it was somebody else who answered. */
export function refusalMessage(
  { id = null, method }: Message,
  status: number,
  body: unknown,
  attempt: Attempt | null,
): Answer {
  const token = (body as { error?: unknown } | undefined)?.error;
  const report = typeof token === 'string' ? (body as object) : { error: 'unexpected_response' };
  if (method === 'tools/call') return failedCall(id, { ...report, status, ...attempt });
  return rpcError(id, SERVER_ERROR, typeof token === 'string' ? token : `unexpected answer with status ${status}`);
}

const failedCall = (id: MessageId, report: object) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: JSON.stringify(report) }], isError: true },
});

export function parseMessage(bytes: Uint8Array): Message | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
