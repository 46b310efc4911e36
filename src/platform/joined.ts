interface Running<T> {
  /** Settles when it has ended, however. */
  ended: Promise<void>;
  next?: Promise<T>;
}

/**
 * Work that who asks the same shares. What is under way may have looked before something that the asker knows of, so nobody
 * joins that: who comes meanwhile shares the next, which begins when it has ended. So one at most is under way under a
 * key, and one waits.
 */
export class Joined<T> {
  readonly #running = new Map<string, Running<T>>();

  /** The result of `work` that begins at this moment or later, whoever's it is. */
  ask(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#begin(key, work);
    running.next ??= running.ended.then(() => this.#begin(key, work));
    return running.next;
  }

  #begin(key: string, work: () => Promise<T>): Promise<T> {
    const answer = work();
    const end = () => {
      if (running.next === undefined) this.#running.delete(key);
    };
    const running: Running<T> = { ended: answer.then(end, end) };
    this.#running.set(key, running);
    return answer;
  }
}
