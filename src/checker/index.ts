/**
 * The checker `svc-checker-dsl-v0` (docs/challenges#checker-cookbook): deterministic, free of imports from outside this
 * folder and of anything but ECMAScript, so that a client replays verdicts offline with the service's own code.
 */
export { answerProblem, evaluate, type Verdict } from './evaluate.ts';
export { CHECKER_GUIDE, PATTERN_RULES } from './guide.ts';
export * from './limits.ts';
export { type Program, parseFindingRules, parseProgram, type Rule, VOID_OUTCOME } from './program.ts';
export { CheckerRefusal } from './refusal.ts';
