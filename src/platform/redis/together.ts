interface Asked<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Answers each question in its place, or with the Error that it came to. Rejects where all of them came to the same. */
export type AskAll<Question, Answer> = (questions: readonly Question[]) => Promise<readonly (Answer | Error)[]>;

/**
 * What one turn of the event loop asks, and whatever is asked while the questions before are not answered yet, asked as one, at
 * most `most` at a time.
 */
export class Together<Question, Answer> {
  readonly #askAll: AskAll<Question, Answer>;
  readonly #most: number;
  #waiting: Asked<Question, Answer>[] = [];
  #underWay = 0;

  constructor(askAll: AskAll<Question, Answer>, most: number) {
    this.#askAll = askAll;
    this.#most = most;
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0 && this.#underWay === 0) setImmediate(() => this.#flush());
      this.#waiting.push({ question, resolve, reject });
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let start = 0; start < waiting.length; start += this.#most) {
      void this.#send(waiting.slice(start, start + this.#most));
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
