import { LRUCache } from 'lru-cache';
import { adviceOn, asToolAdvice, NOTHING_SIGNED, type ToolOf } from '../hints/advice.ts';
import type { Schema } from '../hints/schema.ts';
import type { OperationResponse } from '../pipeline/execute.ts';
import { OUTCOME_HEADER, type WriteOutcome } from '../pipeline/execute.ts';
import { UNTRUSTED_NOTICE } from '../protocol/service.ts';
import { closedMembers } from './protocol.ts';
import type { BoundTool } from './tools.ts';

export interface Called {
  readonly given: object;
  readonly isSigned: boolean;
  readonly nonce?: string | undefined;
  readonly toolOf: ToolOf;
}

const NOTICE_CONTENT = textBlock(UNTRUSTED_NOTICE);

/** The bound of this cache in one process, in addition to the cached responses (docs/operations#copies). */
const MOST_BYTES = 32 * 1_048_576;

/** Caches the result of a cached response by its bytes, so that it reaches only callers of the same response. */
export class ToolResults {
  readonly #cached = new LRUCache<Buffer, Buffer>({
    maxSize: MOST_BYTES,
    sizeCalculation: (members, copy) => members.length + copy.length,
  });

  readonly #fresh = new WeakMap<Buffer, Buffer>();

  /** Returns the members as text, or as cached bytes that close the response. */
  members(bound: BoundTool, called: Called, response: OperationResponse): string | Buffer {
    const { text, shared } = response;
    if (!shared || typeof text === 'string') return membersOf(bound, called, response);
    const results = shared === 'cached' ? this.#cached : this.#fresh;
    let members = results.get(text);
    if (!members) {
      members = closedMembers(membersOf(bound, called, response));
      results.set(text, members);
    }
    return members;
  }
}

/** First the REST refusal, last the advice (docs/mcp). The notice comes before agents' text, which refusals and
 * chapters do not hold. */
function membersOf(bound: BoundTool, called: Called, response: OperationResponse): string {
  const { textOf, advice } = bound;
  const { token } = response;
  const json = String(response.text);
  if (token !== undefined) {
    const taught = JSON.stringify({ ...teach(bound, called, response), ...advice });
    return `"content":[${textBlock(json)},${NOTICE_CONTENT},${textBlock(taught)}],"isError":true`;
  }
  const content = textOf ? `${textBlock(textOf(json))},${NOTICE_CONTENT}` : `${NOTICE_CONTENT},${textBlock(json)}`;
  return `"content":[${content}],"structuredContent":${json},"isError":false`;
}

function textBlock(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}

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
  const told = problems.length > 0 ? { hint, problems } : { hint: asToolAdvice(hint, toolOf) };
  return { ...told, ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }), ...written };
}

/** The headers of the HTTP response, whose status is 200. `Retry-After` of the refusal gets its own name. */
export function headersAround({ headers }: OperationResponse): Readonly<Record<string, string>> {
  if (!('retry-after' in headers)) return headers;
  const { 'retry-after': retryAfter = '', ...rest } = headers;
  return { ...rest, 'x-svc-retry-after': retryAfter };
}
