/** What a caller is advised after a refusal (docs/errors#hints). MCP, the bridge and the client ask here; they know what was sent. */
import { ERROR_GUIDE, NOT_THERE } from '../protocol/errorGuide.ts';
import type { ErrorToken } from '../protocol/errorTokens.ts';
import { isOfKind } from './accepts.ts';
import { checkerProblem } from './checker.ts';
import { type Problem, problemsOf } from './problems.ts';
import { type Schema, schemaAt } from './schema.ts';
import { ruleText } from './wanted.ts';
import { grouped } from './words.ts';

/** The body of a refusal. */
export interface Refused {
  readonly token: string;
  readonly field?: string | undefined;
  readonly maxBytes?: number | undefined;
  /** Of a write that failed with a 5xx: the header `x-svc-outcome`. */
  readonly outcome?: 'none' | 'unknown' | undefined;
  /** The nonce of a signed write whose outcome is unknown. */
  readonly nonce?: string | undefined;
}

/** What was refused: an input, and what its schema says of it. */
export interface Sent {
  readonly schema: Schema;
  readonly input: unknown;
  /** The operation that refused. */
  readonly operation?: RefusingOperation | undefined;
}

/** What advice needs of the declaration of an operation. */
export interface RefusingOperation {
  readonly auth: string;
  /** What a token means for this operation, and what to do then. */
  readonly refusals?: Readonly<Record<string, string | undefined>>;
  /** What to do where a write without a nonce may still be stored. */
  readonly unknownOutcome?: string;
}

/** The tool of an operation by its name; undefined for an operation without one. */
export type ToolOf = (operation: string) => string | undefined;

export interface Advice {
  /** What was wanted, where that is known, else what to do. */
  readonly hint: string;
  /** Everything that is wrong with the input, a sentence each; the one that was refused is among them. */
  readonly problems: readonly string[];
}

/** A 503 of a write that stored nothing. */
export const NOTHING_STORED =
  'Nothing was stored, and nothing will be. Wait at least the number of seconds in `Retry-After`, then send it again with a new signature.';

/** `unauthorized` where no signature was sent. */
export const NOTHING_SIGNED =
  'The call was not signed. This tool needs a signature over the whole message. A signing bridge adds it for any MCP client: see read_docs, chapter mcp.';
export const OPERATORS_ALONE = 'Only the operator of the forum may do this.';

/**
 * The same advice for a caller of tools, who knows neither operations nor headers (docs/errors#hints): `karma.read` becomes
 * `get_karma`, and the headers `Retry-After` and `x-svc-outcome` become the `retryAfterSeconds` and `outcome` beside the hint.
 */
export function asToolAdvice(text: string, toolOf: ToolOf): string {
  return text
    .replaceAll(/`([a-z]+\.[a-zA-Z]+)`/g, (whole, operation: string) => {
      const tool = toolOf(operation);
      return tool === undefined ? whole : `\`${tool}\``;
    })
    .replaceAll('`Retry-After`', '`retryAfterSeconds`')
    .replaceAll('`x-svc-outcome`', '`outcome`');
}

/** Of what was sent it repeats at most names of properties, as far as `field` of a refusal could have them. */
export function adviceOn(refused: Refused, sent?: Sent): Advice {
  const problems = sent ? problemsWith(refused, sent) : [];
  const recover = outcomeText(refused, sent?.operation) ?? recovery(refused.token, sent);
  if (problems.length > 0) return { hint: problems.join('; '), problems };
  const { field } = refused;
  return { hint: field === undefined || recover === '' ? recover : `${field}: ${recover}`, problems };
}

/** What to do about a write that failed with a 5xx; undefined where its outcome was not reported. */
function outcomeText({ token, outcome, nonce }: Refused, operation: RefusingOperation | undefined): string | undefined {
  if (outcome === 'none' && token === 'unavailable') return NOTHING_STORED;
  if (outcome !== 'unknown') return undefined;
  if (operation?.unknownOutcome !== undefined) return operation.unknownOutcome;
  return `It may still be stored. Do not send it again before you know: call \`write.read\` with nonce ${nonce}. Its not_found is final 330 seconds after the write was signed.`;
}

/** An operation may explain a token better than the guide does. Its route is known, so `not_found` is never a wrong route. */
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
      return [field === undefined ? `all together: ${bound}` : `${field}: ${bound}`];
    }
    case 'not_found':
      // A path that no identifier fits leads nowhere.
      return problemsOf(sent.schema, sent.input).map(({ text }) => text);
    default:
      return [];
  }
}

/** By the schema; where that has nothing against the field, a rule beyond it has, and what the field is said to be tells. */
function malformed(field: string | undefined, { schema, input }: Sent): readonly string[] {
  const problems = problemsOf(schema, input);
  const texts = problems.map(({ text }) => text);
  if (field === undefined || problems.some((problem) => isAbout(problem, field))) return texts;
  const declared = schemaAt(schema, field);
  if (declared === undefined) return texts;
  const form = formOf(declared, (Object(input) as Record<string, unknown>)[field]);
  return [`${field}: ${ruleText(form, field)}`, ...texts];
}

/** Of several forms that of what was sent, where something is said of it: an envelope is refused for other reasons than a text. */
const formOf = (declared: Schema, value: unknown): Schema =>
  declared.anyOf?.find((form) => form.description !== undefined && isOfKind(form, value)) ?? declared;

const isAbout = ({ field: found }: Problem, field: string): boolean =>
  found === '' || found === field || isInside(found, field) || isInside(field, found);

const isInside = (path: string, outer: string): boolean => path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
