import { Together } from '../together.ts';
import type { Connections } from './connections.ts';
import type { Lane } from './lane.ts';
import { StatementLanes } from './lanes.ts';
import { LaneTrials } from './laneTrials.ts';
import { Busy, MAX_WAITING_FOR_A_TURN } from './slots.ts';
import { LOCK_NOT_AVAILABLE, sqlState, wasUndone } from './sqlState.ts';
import type { ConnectionConfig, Statement, StatementSet } from './statement.ts';

/** Of one turn on a lane: if all find the row locked, who is behind them waits for less than half a second. */
const MOST_OF_A_TURN = 8;
/**
 * How long a write waits for a row that others want (docs/growing#one-thing-that-everybody-wants), until it is sent for the
 * last time.
 */
const WAIT_MS = 3_500;
/**
 * No statement is answered later than this after it was sent. With the wait a write ends in time
 * (docs/operations#time-limits).
 */
const MOST_MS = 6_000;

/** Whoever has waited so long on every lane waits for those before it. */
const BEHIND_MS = 5;

/** Beyond so many in a set, one more costs hardly less than in a set of its own, and who is in it waits longer. */
const MOST_OF_A_SET = 16;
/** A set is sent after so long though the one before is not answered: it may be stuck, or its commit slow. */
const PATIENCE_MS = 5;

/**
 * What has a longer value goes by itself: an array is text, in which each quote and each byte is escaped and read again. 16 posts
 * of 20,000 quotes took 245 ms in a set, 50 of them of this process, and 22 without.
 */
const LONGEST_IN_A_SET = 4_000;

interface Waiting {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  /** By the monotonic clock. */
  readonly endsAt: number;
  readonly resolve: (rows: object[]) => void;
  readonly reject: (error: unknown) => void;
  timer?: NodeJS.Timeout;
}

type Sets = Together<readonly unknown[], object[] | undefined>;

/** All that want the same row. */
class Turn {
  readonly waiting: Waiting[] = [];
  /** The lane that those under way share, so that none waits for a lock that another of them holds. */
  lane: Lane | undefined;
  underWay = 0;
  /** Somebody else holds the row: one at a time waits for it, on a connection of its own. */
  isPatient = false;
}

/**
 * Lanes for writes of a single statement. One that finds a row locked gives up soon, in its hasty form, so that nobody
 * behind it waits along, and is sent again on a connection of its own, where it may wait. Those that declare by their turn what row they
 * want share a lane, a few at a time; and while the row is held by somebody else, one of them at most has a connection.
 * The others wait in memory.
 *
 * What has such a form, and is not long, goes as a set with others of its kind that come while one is under way: all of it is
 * done and committed at once, or each is sent by itself.
 *
 * Else each commits by itself, so a slow disk holds up who is behind. While all lanes are behind, more of them are tried
 * (`laneTrials.ts`).
 */
export class WriteLanes {
  readonly #lanes: StatementLanes;
  readonly #patient: Connections;
  readonly #turns = new Map<string, Turn>();
  readonly #sets = new Map<StatementSet, Sets>();
  readonly #trials: LaneTrials;

  /** `patient` are the connections for those who wait for a lock. */
  constructor(config: ConnectionConfig, count: number, patient: Connections) {
    this.#lanes = new StatementLanes(config, count, MOST_MS);
    this.#patient = patient;
    this.#trials = new LaneTrials(this.#lanes, count, patient);
  }

  /** Throws `Busy` when too many wait for the same turn, or when it could not be sent in time. */
  async query<R extends object>(statement: Statement, values: readonly unknown[], turn?: string): Promise<R[]> {
    const endsAt = performance.now() + WAIT_MS;
    if (this.#lanes.areBehind(BEHIND_MS)) void this.#trials.look();
    if (turn !== undefined) return this.#inTurn(turn, { statement, values, endsAt });
    try {
      const rows = ((await this.#inSet(statement, values)) ?? (await this.#send(statement, values))) as R[];
      this.#trials.answered();
      return rows;
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      return this.#waitForLock<R>({ statement, values, endsAt });
    }
  }

  async #send(statement: Statement, values: readonly unknown[]): Promise<object[]> {
    return this.#lanes.write(statement.hasty ?? statement, values);
  }

  /** Undefined where there is no such form, or when it is to be sent by itself. */
  async #inSet(statement: Statement, values: readonly unknown[]): Promise<object[] | undefined> {
    const { set } = statement;
    if (!set || values.some(isLong)) return undefined;
    let sets = this.#sets.get(set);
    if (!sets) {
      const options = { most: MOST_OF_A_SET, patienceMs: PATIENCE_MS };
      sets = new Together((each) => this.#sendSet(statement, set, each), options);
      this.#sets.set(set, sets);
    }
    return sets.ask(values);
  }

  async #sendSet(
    statement: Statement,
    set: StatementSet,
    each: readonly (readonly unknown[])[],
  ): Promise<(object[] | undefined)[]> {
    const [first, second] = each;
    if (second === undefined) return [await this.#send(statement, first!)];
    try {
      return set.answers(await this.#send(set.statement, set.values(each)), each);
    } catch (error) {
      // Nobody is refused for what another one of them did, or for a lock that only one of them waits for.
      if (wasUndone(error)) return each.map(() => undefined);
      throw error;
    }
  }

  /** Writes that stand behind others on a lane, that gather to a set, and that wait in memory for a row. */
  get waiting(): { lane: number; set: number; row: number } {
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
    return {
      lane: this.#lanes.behind,
      set: sum([...this.#sets.values()].map(({ waiting }) => waiting)),
      row: sum([...this.#turns.values()].map(({ waiting }) => waiting.length)),
    };
  }

  async close(): Promise<void> {
    this.#trials.close();
    await this.#lanes.close();
  }

  #inTurn<R extends object>(name: string, query: Pick<Waiting, 'statement' | 'values' | 'endsAt'>): Promise<R[]> {
    const turn = this.#turns.get(name) ?? new Turn();
    if (turn.waiting.length >= MAX_WAITING_FOR_A_TURN) throw new Busy('too many wait for the same');
    this.#turns.set(name, turn);
    return new Promise<object[]>((resolve, reject) => {
      this.#join(turn, { resolve, reject, ...query });
      this.#serve(name, turn);
    }) as Promise<R[]>;
  }

  #join({ waiting }: Turn, one: Waiting): void {
    waiting.push(one);
    one.timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(one), 1);
      one.reject(new Busy('not its turn in time'));
    }, one.endsAt - performance.now());
  }

  #serve(name: string, turn: Turn): void {
    while (turn.waiting.length > 0 && turn.underWay < (turn.isPatient ? 1 : MOST_OF_A_TURN)) {
      const next = turn.waiting.shift()!;
      clearTimeout(next.timer);
      turn.underWay += 1;
      void (turn.isPatient ? this.#sendPatient(turn, next) : this.#sendHasty(turn, next)).finally(() => {
        turn.underWay -= 1;
        if (turn.underWay === 0) turn.lane = undefined;
        this.#serve(name, turn);
      });
    }
    if (turn.underWay === 0) this.#turns.delete(name);
  }

  async #sendHasty(turn: Turn, one: Waiting): Promise<void> {
    try {
      if (!turn.lane?.isOpen) turn.lane = this.#lanes.choose();
      one.resolve(await turn.lane.query(one.statement.hasty ?? one.statement, one.values));
      this.#trials.answered();
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) return one.reject(error);
      turn.isPatient = true;
      this.#join(turn, one);
    }
  }

  async #sendPatient(turn: Turn, one: Waiting): Promise<void> {
    try {
      one.resolve(await this.#waitForLock(one));
      turn.isPatient = false;
    } catch (error) {
      turn.isPatient = sqlState(error) === LOCK_NOT_AVAILABLE;
      one.reject(error);
    }
  }

  async #waitForLock<R extends object>({
    statement,
    values,
    endsAt,
  }: Omit<Waiting, 'resolve' | 'reject'>): Promise<R[]> {
    return this.#patient.query<R>(statement, values, { waitMs: endsAt - performance.now() });
  }
}

const isLong = (value: unknown): boolean =>
  (typeof value === 'string' || value instanceof Uint8Array) && value.length > LONGEST_IN_A_SET;
