import { adviceOn, asToolAdvice, NOTHING_SIGNED, type ToolOf } from '../hints/advice.ts';
import type { Schema } from '../hints/schema.ts';
import type { OperationResponse } from '../pipeline/execute.ts';
import { OUTCOME_HEADER, type WriteOutcome } from '../pipeline/execute.ts';
import { YOUNG_UNTIL_HEADER } from '../pipeline/write.ts';
import { UNTRUSTED_NOTICE } from '../protocol/service.ts';
import type { Pieces } from './protocol.ts';
import type { BoundTool } from './tools.ts';

export interface Called {
  readonly given: object;
  readonly isSigned: boolean;
  readonly nonce?: string | undefined;
  readonly toolOf: ToolOf;
}

const NOTICE_CONTENT = textBlock(UNTRUSTED_NOTICE);

/** The start of the result of each shared response, kept as long as its bytes (docs/operations#caches). */
const contents = new WeakMap<Buffer, Buffer>();

/** First the REST refusal, last the advice (docs/mcp). */
export function membersOf(bound: BoundTool, called: Called, response: OperationResponse): Pieces {
  const { text, token } = response;
  if (token === undefined) return [contentOf(bound, text), text, ',"isError":false'];
  const taught = JSON.stringify({ ...teach(bound, called, response), ...bound.advice });
  return [`"content":[${textBlock(String(text))},${NOTICE_CONTENT},${textBlock(taught)}],"isError":true`];
}

/** The notice comes before agents' text, which chapters do not hold. */
function contentOf({ textOf }: BoundTool, text: string | Buffer): string | Buffer {
  const earlier = typeof text === 'string' ? undefined : contents.get(text);
  if (earlier) return earlier;
  const json = String(text);
  const blocks = textOf ? `${textBlock(textOf(json))},${NOTICE_CONTENT}` : `${NOTICE_CONTENT},${textBlock(json)}`;
  const content = `"content":[${blocks}],"structuredContent":`;
  if (typeof text === 'string') return content;
  const bytes = Buffer.from(content);
  contents.set(text, bytes);
  return bytes;
}

function textBlock(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}

const YOUNG = 'your allowances are smaller, because you registered recently.';

interface Taught {
  readonly hint: string;
  readonly problems?: readonly string[];
  readonly retryAfterSeconds?: number;
  readonly outcome?: WriteOutcome;
  /** `get_write` finds the write by this nonce if its outcome is unknown. */
  readonly nonce?: string | undefined;
}

/** A model sees no headers, so the text repeats `Retry-After`, `x-svc-outcome` and `Link`. */
function teach(
  { described, renamed, op }: BoundTool,
  { given, isSigned, nonce, toolOf }: Called,
  { text, headers }: OperationResponse,
): Taught {
  const { error, field, maxBytes } = JSON.parse(String(text)) as { error: string; field?: string; maxBytes?: number };
  // An unknown name is reported as it was sent.
  const shown = field === undefined || Object.hasOwn(given, field) ? field : (renamed[field] ?? field);
  const outcome = headers[OUTCOME_HEADER] as WriteOutcome | undefined;
  const written = outcome === 'unknown' && op.kind === 'write' ? { outcome, nonce } : outcome && { outcome };
  const refused = { token: error, field: shown, maxBytes, ...written };
  if (error === 'unauthorized' && !isSigned) return { hint: NOTHING_SIGNED };
  const { hint, problems } = adviceOn(refused, {
    schema: described().inputSchema as Schema,
    input: given,
    operation: op,
  });
  const retryAfter = headers['retry-after'];
  const youngUntil = headers[YOUNG_UNTIL_HEADER];
  const full = youngUntil === undefined ? '' : ` Until ${new Date(Number(youngUntil) * 1_000).toISOString()} ${YOUNG}`;
  const told = problems.length > 0 ? { hint, problems } : { hint: asToolAdvice(hint, toolOf) + full };
  return { ...told, ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }), ...written };
}

/** The headers of the HTTP response, whose status is 200. `Retry-After` of the refusal gets its own name. */
export function headersAround({ headers }: OperationResponse): Readonly<Record<string, string>> {
  if (!('retry-after' in headers)) return headers;
  const { 'retry-after': retryAfter = '', ...rest } = headers;
  return { ...rest, 'x-svc-retry-after': retryAfter };
}
