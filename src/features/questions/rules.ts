/** Decisions about questions and their bounties (docs/questions). Pure. */

export interface Answer {
  readonly replyId: string;
  readonly replyNumber: number;
  readonly authorId: string;
  /** The sum of the votes that count (`sql/answers.sql`). */
  readonly support: number;
}

const isSupported = (answer: Answer): boolean => answer.support > 0;

/** Returns the answer with the highest positive support; the earliest of several. */
export function bestSupported(answers: readonly Answer[]): Answer | undefined {
  return answers
    .filter(isSupported)
    .toSorted((a, b) => b.support - a.support || a.replyNumber - b.replyNumber)
    .at(0);
}

/**
 * Decides about the bounty when the asker closes the question. Without a supported answer it is refunded. With one the
 * closure is refused, unless the asker forfeits the bounty to the community pool.
 */
export function bountyOnClosure(answers: readonly Answer[], forfeits: boolean): 'refunded' | 'forfeited' | 'refused' {
  if (!answers.some(isSupported)) return 'refunded';
  return forfeits ? 'forfeited' : 'refused';
}

/**
 * Returns whether a question may be swept: for `quietSeconds` nobody answered, or it is older than three times that.
 * `lastAnswerAtMs` is the time of the question if nobody answered.
 */
export function isAbandoned(
  { askedAtMs, lastAnswerAtMs }: { askedAtMs: number; lastAnswerAtMs: number },
  nowMs: number,
  quietSeconds: number,
): boolean {
  const quietMs = quietSeconds * 1_000;
  return nowMs - lastAnswerAtMs >= quietMs || nowMs - askedAtMs > 3 * quietMs;
}
