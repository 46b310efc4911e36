import { CheckerRefusal, parseFindingRules, parseProgram } from '../checker/index.ts';

/** `rules[0]: pattern: a quantified group at 4`; undefined without a refused program. */
export function checkerProblem(input: unknown): string | undefined {
  const { challenge, finding } = members(input);
  for (const { checkerProgram, outcomes, checker } of [input, challenge, finding].map(members)) {
    const problem =
      checkerProgram === undefined
        ? checker && reasonOf(() => parseFindingRules(members(checker).rules))
        : Array.isArray(outcomes) && reasonOf(() => parseProgram(checkerProgram, { outcomes }));
    if (typeof problem === 'string') return problem;
  }
  return undefined;
}

function reasonOf(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof CheckerRefusal) return error.message;
    throw error;
  }
}

const members = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
