/** The checker `svc-checker-dsl-v0`. It imports nothing, so that clients and browsers repeat verdicts offline. */
export { CheckerRefusal } from './assertion.ts';
export { answerProblem, evaluate, type Verdict } from './evaluate.ts';
export { CHECKER_GUIDE, PATTERN_RULES } from './guide.ts';
export * from './limits.ts';
export { type Program, parseFindingRules, parseProgram, type Rule, VOID_OUTCOME } from './program.ts';
