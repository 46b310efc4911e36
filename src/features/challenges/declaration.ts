import { answerProblem, CheckerRefusal, MAX_ANSWER_UNITS, parseProgram } from '../../checker/index.ts';
import { invalid, Refusal } from '../../operation/errors.ts';
import { parseTimestamp, toTimestamp } from '../../platform/codec/text.ts';
import { canonicalJson } from '../../protocol/canonicalJson.ts';
import { hashOfDeclared } from '../../protocol/formats.ts';
import { areOutcomes, type Outcomes, stakeable } from './rules.ts';
import type { DeclarationInput, Declared } from './schemas.ts';

/** A checked declaration. Its times are compared with the clock only when it is published. */
export interface Declaration {
  readonly declared: Declared;
  readonly text: string;
  readonly hash: string;
  readonly awardMicro: bigint;
  readonly stakingOpensAtMs: number;
  readonly scoringAtMs: number;
}

/** Normalises times to UTC milliseconds (docs/challenges#the-hash-of-a-declaration). `prefix` precedes fields. */
export function checkDeclaration(input: DeclarationInput, prefix: '' | 'challenge.' = ''): Declaration {
  const { declarationHash, ...inputs } = input;
  if (!areOutcomes(input.outcomes)) throw invalid(`${prefix}outcomes`);
  requireProgram(input.checkerProgram, input.outcomes);
  const awardMicro = stakeable(input.award);
  if (awardMicro === null) throw invalid(`${prefix}award`);
  const stakingOpensAtMs = parseTimestamp(input.stakingOpensAt);
  if (stakingOpensAtMs === null) throw invalid(`${prefix}stakingOpensAt`);
  const scoringAtMs = parseTimestamp(input.scoringAt);
  if (scoringAtMs === null || scoringAtMs <= stakingOpensAtMs) throw invalid(`${prefix}scoringAt`);
  const declared = {
    ...inputs,
    stakingOpensAt: toTimestamp(stakingOpensAtMs),
    scoringAt: toTimestamp(scoringAtMs),
  };
  const hash = hashOfDeclared(declared);
  if (declarationHash !== undefined && declarationHash !== hash) {
    throw new Refusal('declaration_hash_mismatch', { field: `${prefix}declarationHash` });
  }
  return { declared, text: canonicalJson(declared), hash, awardMicro, stakingOpensAtMs, scoringAtMs };
}

/** Parses a stored declaration; throws if its hash does not match (docs/challenges#scoring). */
export function verifyDeclaration(text: string, hash: string): Declared {
  const declared = JSON.parse(text) as Declared;
  if (hashOfDeclared(declared) !== hash) throw new Error('a stored declaration does not match its hash');
  return declared;
}

export function outcomesOf({ outcomes, checkerProgram }: Declared): Outcomes {
  const { expectedOutcome, defaultOutcome } = parseProgram(checkerProgram, { outcomes });
  return { outcomes, expectedOutcome, defaultOutcome };
}

/** Throws `unsupported_checker_class`, with the rule as `field` (docs/challenges#checker-cookbook). */
function requireProgram(program: unknown, outcomes: readonly string[]): void {
  try {
    parseProgram(program, { outcomes });
  } catch (error) {
    if (error instanceof CheckerRefusal) throw new Refusal('unsupported_checker_class', { field: error.field });
    throw error;
  }
}

/**
 * Throws `too_large` or `invalid_request` for an answer beyond the checker's limits (docs/challenges#checker-cookbook).
 */
export function requireAnswer(answer: unknown): void {
  const problem = answerProblem(answer);
  if (problem === 'size') throw new Refusal('too_large', { field: 'answer', maxBytes: MAX_ANSWER_UNITS });
  if (problem === 'depth') throw invalid('answer');
}
