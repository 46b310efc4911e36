interface Flight<T> {
  ended: Promise<void>;
  next?: Promise<T>;
}

/** Shares work between callers. A caller joins only a run that begins after its call, so that it misses no change. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

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
