/** What a refusal teaches, at the edges that know what was sent (docs/errors#hints). */
import { ERROR_GUIDE } from '../formats/errorGuide.ts';
import type { ErrorToken } from '../formats/errorTokens.ts';
import { checkerProblem } from './checker.ts';
import { type Problem, problemsOf } from './problems.ts';
import { type Schema, schemaAt } from './schema.ts';
import { inputText, wantedText } from './wanted.ts';
import { grouped } from './words.ts';

/** The body of a refusal. */
export interface Refused {
  readonly token: string;
  readonly field?: string | undefined;
  readonly maxBytes?: number | undefined;
}

/** What was refused: an input, and what its schema says of it. */
export interface Sent {
  readonly schema: Schema;
  readonly input: unknown;
}

export interface Advice {
  /** What was wanted, where that is known, else what to do. */
  readonly hint: string;
  /** Everything that is wrong with the input, a sentence each; the one that was refused is among them. */
  readonly problems: readonly string[];
}

/** Nothing in it was sent by anybody but the names of properties, where they are spelled and bounded as `field` is. */
export function adviceOn(refused: Refused, sent?: Sent): Advice {
  const problems = sent ? problemsWith(refused, sent) : [];
  const recover = Object.hasOwn(ERROR_GUIDE, refused.token) ? ERROR_GUIDE[refused.token as ErrorToken].recover : '';
  if (problems.length > 0) return { hint: problems.join('; '), problems };
  const { field } = refused;
  return { hint: field === undefined || recover === '' ? recover : `${field}: ${recover}`, problems };
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
  return declared === undefined ? texts : [`${field}: ${inputText(declared) || wantedText(declared)}`, ...texts];
}

const isAbout = ({ field: found }: Problem, field: string): boolean =>
  found === '' || found === field || isInside(found, field) || isInside(field, found);

const isInside = (path: string, outer: string): boolean => path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
