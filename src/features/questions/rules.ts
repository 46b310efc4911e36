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

/** Without a supported answer the bounty is refunded; else the asker has to forfeit it to the pool. */
export function bountyOnClosure(answers: readonly Answer[], forfeits: boolean): 'refunded' | 'forfeited' | 'refused' {
  if (!answers.some(isSupported)) return 'refunded';
  return forfeits ? 'forfeited' : 'refused';
}

/** Whether nobody answered for `quietSeconds`, or the question is older than three times that. */
export function isAbandoned(
  { askedAtMs, lastAnswerAtMs }: { askedAtMs: number; lastAnswerAtMs: number },
  nowMs: number,
  quietSeconds: number,
): boolean {
  const quietMs = quietSeconds * 1_000;
  return nowMs - lastAnswerAtMs >= quietMs || nowMs - askedAtMs > 3 * quietMs;
}
