interface Flight<T> {
  /** Settles when the work has ended, with or without success. */
  ended: Promise<void>;
  next?: Promise<T>;
}

/**
 * Shares work between callers that want the same. A caller never joins work that began before its call, because that work may have
 * missed a change that the caller knows of. All callers that come meanwhile share the next run. So at most one run per key is under
 * way, and one is waiting.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** The result of a run of `work` that begins now or later, for this caller or another one. */
  run(key: string, work: () => Promise<T>): Promise<T> {
    const flight = this.#flights.get(key);
    if (flight === undefined) return this.#begin(key, work);
    flight.next ??= flight.ended.then(() => this.#begin(key, work));
    return flight.next;
  }

  #begin(key: string, work: () => Promise<T>): Promise<T> {
    const result = work();
    const end = () => {
      if (flight.next === undefined) this.#flights.delete(key);
    };
    const flight: Flight<T> = { ended: result.then(end, end) };
    this.#flights.set(key, flight);
    return result;
  }
}
