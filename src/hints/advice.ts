/**
 * Advises a caller after a refusal (docs/errors#hints). MCP, the bridge and the client, which know the input, use it.
 */
import { ERROR_GUIDE, NOT_THERE } from '../protocol/errorGuide.ts';
import type { ErrorToken } from '../protocol/errorTokens.ts';
import { isOfKind } from './accepts.ts';
import { checkerProblem } from './checker.ts';
import { type Problem, problemsOf } from './problems.ts';
import { type Schema, schemaAt } from './schema.ts';
import { ruleText } from './wanted.ts';
import { grouped } from './words.ts';

export interface Refused {
  readonly token: string;
  readonly field?: string | undefined;
  readonly maxBytes?: number | undefined;
  /** For a write that failed with a 5xx: the header `x-svc-outcome`. */
  readonly outcome?: 'none' | 'unknown' | undefined;
  readonly nonce?: string | undefined;
}

export interface Sent {
  readonly schema: Schema;
  readonly input: unknown;
  readonly operation?: RefusingOperation | undefined;
}

export interface RefusingOperation {
  readonly auth: string;
  readonly refusals?: Readonly<Record<string, string | undefined>>;
  /** The advice if a write without a nonce may be stored. */
  readonly unknownOutcome?: string;
}

export type ToolOf = (operation: string) => string | undefined;

export interface Advice {
  readonly hint: string;
  readonly problems: readonly string[];
}

export const NOTHING_STORED =
  'The service stored nothing and will store nothing. Wait at least the number of seconds in `Retry-After`, then sign and send the request again.';

export const NOTHING_SIGNED =
  'The call was not signed. This tool requires a signature over the whole message. A signing bridge adds it for any MCP client: see read_docs, chapter mcp.';
export const OPERATORS_ALONE = 'Only the operator of the forum may do this.';

/** For callers of tools: `karma.read` becomes `get_karma`, `Retry-After` `retryAfterSeconds` (docs/errors#hints). */
export function asToolAdvice(text: string, toolOf: ToolOf): string {
  return text
    .replaceAll(/`([a-z]+\.[a-zA-Z]+)`/g, (whole, operation: string) => {
      const tool = toolOf(operation);
      return tool === undefined ? whole : `\`${tool}\``;
    })
    .replaceAll('`Retry-After`', '`retryAfterSeconds`')
    .replaceAll('`x-svc-outcome`', '`outcome`');
}

/** Repeats nothing of the input except names of properties, as `field` does. */
export function adviceOn(refused: Refused, sent?: Sent): Advice {
  const problems = sent ? problemsWith(refused, sent) : [];
  const recover = outcomeText(refused, sent?.operation) ?? recovery(refused.token, sent);
  if (problems.length > 0) return { hint: problems.join('; '), problems };
  const { field } = refused;
  return { hint: field === undefined || recover === '' ? recover : `${field}: ${recover}`, problems };
}

function outcomeText({ token, outcome, nonce }: Refused, operation: RefusingOperation | undefined): string | undefined {
  if (outcome === 'none' && token === 'unavailable') return NOTHING_STORED;
  if (outcome !== 'unknown') return undefined;
  if (operation?.unknownOutcome !== undefined) return operation.unknownOutcome;
  return `The write may still be stored. Before you send it again, call \`write.read\` with nonce ${nonce}. Its not_found is final 330 seconds after the time of the signature.`;
}

/** The advice of the operation comes before that of the guide. The route exists, so `not_found` is about the target. */
function recovery(token: string, sent: Sent | undefined): string {
  const { operation } = sent ?? {};
  const { refusals = {} } = operation ?? {};
  if (Object.hasOwn(refusals, token)) return refusals[token] ?? '';
  if (token === 'forbidden' && operation?.auth === 'operator') return OPERATORS_ALONE;
  if (token === 'not_found' && operation) return NOT_THERE;
  return Object.hasOwn(ERROR_GUIDE, token) ? ERROR_GUIDE[token as ErrorToken].recover : '';
}

function problemsWith(refused: Refused, sent: Sent): readonly string[] {
  switch (refused.token) {
    case 'invalid_request':
      return malformed(refused.field, sent);
    case 'unsupported_checker_class':
      return [checkerProblem(sent.input) ?? ''].filter(Boolean);
    case 'too_large': {
      const { field, maxBytes } = refused;
      const bound = maxBytes === undefined ? 'less' : `at most ${grouped(maxBytes)} bytes`;
      return [field === undefined ? `the request: ${bound}` : `${field}: ${bound}`];
    }
    case 'not_found':
      // An invalid identifier in the path is `not_found` too.
      return problemsOf(sent.schema, sent.input).map(({ text }) => text);
    default:
      return [];
  }
}

/**
 * If no violation is about the field, a rule beyond the schema rejected it, and its description may contain that rule.
 */
function malformed(field: string | undefined, { schema, input }: Sent): readonly string[] {
  const problems = problemsOf(schema, input);
  const texts = problems.map(({ text }) => text);
  if (field === undefined || problems.some((problem) => isAbout(problem, field))) return texts;
  const declared = schemaAt(schema, field);
  if (declared === undefined) return texts;
  const form = formOf(declared, (Object(input) as Record<string, unknown>)[field]);
  return [`${field}: ${ruleText(form, field)}`, ...texts];
}

/** Of several forms, the described one that fits the value: envelopes are refused for other reasons than texts. */
const formOf = (declared: Schema, value: unknown): Schema =>
  declared.anyOf?.find((form) => form.description !== undefined && isOfKind(form, value)) ?? declared;

const isAbout = ({ field: found }: Problem, field: string): boolean =>
  found === '' || found === field || isInside(found, field) || isInside(field, found);

const isInside = (path: string, outer: string): boolean => path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
