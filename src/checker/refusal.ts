/**
 * Thrown for a program outside the checker grammar (token `unsupported_checker_class`, docs/errors,
 * docs/challenges#checker-cookbook). `field` names the rule (`rules[2]`) or the property (`expectedOutcome`, `rules`);
 * the message says what is wrong.
 */
export class CheckerRefusal extends Error {
  override readonly name = 'CheckerRefusal';
  readonly field: string;

  constructor(field: string, reason: string) {
    super(`${field}: ${reason}`);
    this.field = field;
  }
}
