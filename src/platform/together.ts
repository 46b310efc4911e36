interface Asked<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Answers each question in its place, or with the Error that it came to. Rejects where all of them came to the same. */
export type AskAll<Question, Answer> = (questions: readonly Question[]) => Promise<readonly (Answer | Error)[]>;

interface TogetherOptions {
  /** How many are asked as one. */
  readonly most: number;
  /** Nobody waits longer for those before it. Without, until they are answered. */
  readonly patienceMs?: number;
}

/**
 * What one turn of the event loop asks, and whatever is asked while the questions before are not answered yet, asked as one, at
 * most so many at a time.
 */
export class Together<Question, Answer> {
  readonly #askAll: AskAll<Question, Answer>;
  readonly #options: TogetherOptions;
  #waiting: Asked<Question, Answer>[] = [];
  #underWay = 0;
  #patience: NodeJS.Timeout | undefined;

  constructor(askAll: AskAll<Question, Answer>, options: TogetherOptions) {
    this.#askAll = askAll;
    this.#options = options;
  }

  /** Questions that wait to be asked. */
  get waiting(): number {
    return this.#waiting.length;
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) this.#beginToWait();
      this.#waiting.push({ question, resolve, reject });
    });
  }

  #beginToWait(): void {
    const { patienceMs } = this.#options;
    if (this.#underWay === 0) setImmediate(() => this.#flush());
    else if (patienceMs !== undefined) this.#patience = setTimeout(() => this.#flush(), patienceMs);
  }

  #flush(): void {
    clearTimeout(this.#patience);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let start = 0; start < waiting.length; start += this.#options.most) {
      void this.#send(waiting.slice(start, start + this.#options.most));
    }
  }

  async #send(asked: readonly Asked<Question, Answer>[]): Promise<void> {
    this.#underWay += 1;
    try {
      const answers = await this.#askAll(asked.map(({ question }) => question));
      for (const [index, { resolve, reject }] of asked.entries()) {
        const answer = answers[index]!;
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#flush();
  }
}
