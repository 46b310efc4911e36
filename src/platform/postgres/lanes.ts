import { Lane } from './lane.ts';
import type { ConnectionConfig, Statement } from './statement.ts';

/** Statements of one turn of the event loop that share a lane: so many small ones are done before another process has woken. */
const MOST_TOGETHER = 4;
/** Writes that keep a lane at work until more can be sent: beyond them no write begins sooner on another lane. */
const BUSY = 3;
/** How many lanes more are opened while all are slow. */
const SPARE_FACTOR = 2;
const MOST_MS = 9_000;

/**
 * A few connections that many requests share: each statement goes down the least busy lane, behind the others. A read
 * costs half the CPU of one on a pooled connection of its own. Only for statements that wait for no lock held for long:
 * who comes behind a slow one waits with it, which is why nobody is sent behind one that is known to be slow. A lane that
 * ends is opened anew by the next statement.
 */
export class StatementLanes {
  readonly #config: ConnectionConfig;
  readonly #count: number;
  readonly #mostMs: number;
  #lanes: Lane[] = [];
  #isClosed = false;
  /** The lane that this turn of the event loop chose last for statements that share one, and how many it has been given. */
  #together: Lane | undefined;
  #given = 0;

  /** A lane that leaves a statement unanswered for `mostMs` is given up. */
  constructor(config: ConnectionConfig, count: number, mostMs = MOST_MS) {
    this.#config = config;
    this.#count = count;
    this.#mostMs = mostMs;
  }

  /**
   * For writes, each of which waits for its commit: down the least busy lane. Where all are busy, those of one turn of the
   * event loop share a lane as reads do.
   */
  async write<R extends object>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    return this.#chooseForWrite().query<R>(statement, values);
  }

  /**
   * For reads, which hold nobody up for long. What is sent in one turn of the event loop goes down one lane, a few at
   * a time: a process of the server that is woken once for four statements uses a tenth less than four that are woken for one
   * each. Through a pooler they would only wait for each other.
   */
  async read<R extends object>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    return this.#chooseForRead().query<R>(statement, values);
  }

  /** Lanes that are open or about to be. */
  get size(): number {
    return this.#lanes.length;
  }

  /** Statements that stand behind others on their lanes. */
  get behind(): number {
    return this.#lanes.reduce((sum, { waiting }) => sum + Math.max(0, waiting - 1), 0);
  }

  /** True while every lane has a statement that has been waiting for longer, and none may be opened. */
  areBehind(ms: number): boolean {
    return this.#lanes.length >= this.#count && this.#lanes.every((lane) => lane.oldestMs > ms);
  }

  /** Adds lanes beyond those that open by themselves; one that cannot be opened is done without. */
  async widen(by: number): Promise<void> {
    const opening = Array.from({ length: by }, async () => {
      const lane = new Lane(this.#config, this.#mostMs);
      await lane.opened.catch(() => {});
      if (lane.isOpen && !this.#isClosed) this.#lanes.push(lane);
      else await lane.close();
    });
    await Promise.all(opening);
  }

  /** Gives up what is beyond so many, once what waits there is answered. */
  narrow(to: number): void {
    for (const lane of this.#lanes.splice(to)) lane.retire();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  /** An idle lane, else one that can still be opened, else the one with the fewest statements waiting. */
  choose(): Lane {
    if (!this.#lanes.every((lane) => lane.isOpen)) this.#lanes = this.#lanes.filter((lane) => lane.isOpen);
    const quick = leastBusy(this.#lanes.filter((lane) => !lane.isSlow));
    if (quick && (quick.waiting === 0 || this.#lanes.length >= this.#count)) return quick;
    const most = quick ? this.#count : this.#count * SPARE_FACTOR;
    return this.#lanes.length < most ? this.#open() : leastBusy(this.#lanes)!;
  }

  #chooseForRead(): Lane {
    const lane = this.#together;
    if (lane?.isOpen && lane.sendsAhead && !lane.isSlow && lane.waiting < MOST_TOGETHER) return lane;
    if (lane === undefined) setImmediate(() => (this.#together = undefined));
    this.#together = this.choose();
    return this.#together;
  }

  #chooseForWrite(): Lane {
    const chosen = this.choose();
    if (chosen.waiting < BUSY) return chosen;
    const lane = this.#together;
    if (lane?.isOpen && lane.sendsAhead && !lane.isSlow && this.#given < MOST_TOGETHER) {
      this.#given += 1;
      return lane;
    }
    if (lane === undefined) setImmediate(() => (this.#together = undefined));
    this.#together = chosen;
    this.#given = 1;
    return chosen;
  }

  #open(): Lane {
    if (this.#isClosed) throw new Error('Client was closed and is not queryable');
    const lane = new Lane(this.#config, this.#mostMs);
    this.#lanes.push(lane);
    return lane;
  }
}

const leastBusy = (lanes: readonly Lane[]): Lane | undefined =>
  lanes.reduce<Lane | undefined>((best, lane) => (best && best.waiting <= lane.waiting ? best : lane), undefined);
