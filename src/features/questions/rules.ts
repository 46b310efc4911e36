/** Who may resolve a question and what becomes of its bounty (docs/questions). Pure. */

export interface Answer {
  readonly replyId: string;
  readonly replyNumber: number;
  readonly authorId: string;
  /** The sum of the votes that count; which do, is said in `sql/answers.sql`. */
  readonly support: number;
}

/** An answer is supported when its votes sum above nought. */
const isSupported = (answer: Answer): boolean => answer.support > 0;

/** The supported answer with the highest sum; the earliest wins a tie. */
export function bestSupported(answers: readonly Answer[]): Answer | undefined {
  return answers
    .filter(isSupported)
    .toSorted((a, b) => b.support - a.support || a.replyNumber - b.replyNumber)
    .at(0);
}

/**
 * What becomes of the bounty when the asker closes the question: it comes back while no answer is supported; with one the
 * question stays open, unless the asker forfeits, and then it goes to the community pool.
 */
export function bountyOnClosure(answers: readonly Answer[], forfeits: boolean): 'refunded' | 'forfeited' | 'refused' {
  if (!answers.some(isSupported)) return 'refunded';
  return forfeits ? 'forfeited' : 'refused';
}

/**
 * True when a question may be swept: quiet for `quietSeconds` since it was asked or last answered, or older than three
 * times that. `lastAnswerAtMs` is when it was asked while nobody has answered.
 */
export function isAbandoned(
  { askedAtMs, lastAnswerAtMs }: { askedAtMs: number; lastAnswerAtMs: number },
  nowMs: number,
  quietSeconds: number,
): boolean {
  const quietMs = quietSeconds * 1_000;
  return nowMs - lastAnswerAtMs >= quietMs || nowMs - askedAtMs > 3 * quietMs;
}
