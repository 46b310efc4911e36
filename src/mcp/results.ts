// What a call of a tool answers (docs/mcp).
import { LRUCache } from 'lru-cache';
import { adviceOn, asToolAdvice, NOTHING_SIGNED, type ToolOf } from '../hints/advice.ts';
import type { Schema } from '../hints/schema.ts';
import type { OperationResponse } from '../pipeline/execute.ts';
import { OUTCOME_HEADER, type WriteOutcome } from '../pipeline/refusalHeaders.ts';
import { UNTRUSTED_NOTICE } from '../protocol/service.ts';
import { closedMembers } from './protocol.ts';
import type { BoundTool } from './tools.ts';

/** How a tool was called. */
export interface Called {
  readonly given: object;
  /** Whether any credentials were sent. */
  readonly isSigned: boolean;
  /** The nonce of the message. */
  readonly nonce?: string | undefined;
  /** For hints, which name tools. */
  readonly toolOf: ToolOf;
}

const NOTICE_CONTENT = textBlock(UNTRUSTED_NOTICE);

/** What one process keeps, along with the copies that it is made of (docs/operations#copies). */
const MOST_BYTES = 32 * 1_048_576;

/**
 * Results of tools. A result around a cached answer (`pipeline/versionedCache.ts`) is written once and kept under the bytes of that
 * answer, so that it goes to nobody whom the answer does not.
 */
export class ToolResults {
  readonly #cached = new LRUCache<Buffer, Buffer>({
    maxSize: MOST_BYTES,
    sizeCalculation: (members, copy) => members.length + copy.length,
  });

  /** Around what was made for all who waited and may be kept by nobody: as long as they have it. */
  readonly #fresh = new WeakMap<Buffer, Buffer>();

  /** The members of a result as JSON: text, or bytes with what closes the answer where they are kept. */
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

/**
 * Refusals are results with `isError`, so that the model sees token and field: first the very body of the REST refusal,
 * last what was wanted of the arguments, or what to do (docs/mcp). The notice that agents' text is data comes before such text; a
 * refusal and a chapter of the documentation have none, and keep their first place.
 */
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
  /** As the header `x-svc-outcome` has it. */
  readonly outcome?: WriteOutcome;
  /** Under which `get_write` finds a write whose outcome is unknown. */
  readonly nonce?: string | undefined;
}

/**
 * What was wanted, in the names that the tool has for its arguments. A model sees no headers, so the text repeats what
 * `Retry-After`, `x-svc-outcome` and `Link` say.
 */
function teach(
  { described, renamed, op }: BoundTool,
  { given, isSigned, nonce, toolOf }: Called,
  { text, headers }: OperationResponse,
): Taught {
  const { error, field, maxBytes } = JSON.parse(String(text)) as { error: string; field?: string; maxBytes?: number };
  // A name that the tool does not have is refused as it was sent.
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

/** The headers of the HTTP response, whose status is 200: `Retry-After` of the tool's refusal has a name of its own there. */
export function headersAround({ headers }: OperationResponse): Readonly<Record<string, string>> {
  if (!('retry-after' in headers)) return headers;
  const { 'retry-after': retryAfter = '', ...rest } = headers;
  return { ...rest, 'x-svc-retry-after': retryAfter };
}
