import type { Connections } from './connections.ts';
import type { Lane } from './lane.ts';
import { StatementLanes } from './lanes.ts';
import { Busy, MAX_WAITING_FOR_A_TURN } from './slots.ts';
import { sqlState } from './sqlState.ts';
import { type ConnectionConfig, type Statement, sql } from './statement.ts';

const LOCK_NOT_AVAILABLE = '55P03';
/** Of one turn on a lane: if all find the row locked, who is behind them waits for less than half a second. */
const MOST_OF_A_TURN = 8;
/** Until it is sent for the last time. */
const WAIT_MS = 3_500;
/**
 * No statement is answered later than this after it was sent. With the wait a write ends in time
 * (docs/operations#time-limits).
 */
const MOST_MS = 6_000;

/** Whoever has waited so long on every lane waits for those before it. */
const BEHIND_MS = 5;
const LOOK_EVERY_MS = 200;
/** Beyond the others, so many times over, while what they wait for is a commit. */
const WIDEST_FACTOR = 3;
/** Without anybody behind for so long, the lanes that were added go again. */
const CALM_MS = 10_000;
/** Looks that are further apart do not belong to the same time of being behind. */
const APART_MS = 1_000;
/** For so long lanes are tried that were added. */
const TRIAL_MS = 500;
/** So many times as many answers as without them, or they go again. */
const WORTH_FACTOR = 1.15;
/** Until it is tried again; each time that it is of no use, twice as long. */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;

/** Sessions at work, and those that wait until what they wrote is safe: on the disk, or on a standby. */
const READ_COMMITS = sql(
  'lanes.commits',
  `SELECT count(*) AS active, count(*) FILTER (WHERE lower(wait_event) IN ('walwrite', 'walsync', 'syncrep')) AS waiting
   FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
);

interface Waiting {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  /** By the monotonic clock. */
  readonly endsAt: number;
  readonly resolve: (rows: object[]) => void;
  readonly reject: (error: unknown) => void;
  timer?: NodeJS.Timeout;
}

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
 * Each commits by itself, so a slow disk holds up who is behind. While all lanes are behind and the server says that it is
 * commits they wait for, more of them are tried. What waits for a processor is done no sooner on more, only dearer: those that
 * bring no more answers than there were go again.
 */
export class WriteLanes {
  readonly #lanes: StatementLanes;
  readonly #patient: Connections;
  readonly #turns = new Map<string, Turn>();
  readonly #count: number;
  readonly #calm: NodeJS.Timeout;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #answers = 0;
  /** From where the rate of answers is counted. */
  #since = { at: Number.NEGATIVE_INFINITY, answers: 0 };
  /** Answers a millisecond before lanes were added, while these are being tried. */
  #rateBefore: number | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS;

  /** `patient` are the connections for those who wait for a lock. */
  constructor(config: ConnectionConfig, count: number, patient: Connections) {
    this.#lanes = new StatementLanes(config, count, MOST_MS);
    this.#patient = patient;
    this.#count = count;
    this.#calm = setInterval(() => {
      if (performance.now() - this.#lookedAt > CALM_MS) this.#lanes.narrow();
    }, CALM_MS);
    this.#calm.unref();
  }

  /** Throws `Busy` when too many wait for the same turn, or when it could not be sent in time. */
  async query<R extends object>(statement: Statement, values: readonly unknown[], turn?: string): Promise<R[]> {
    const endsAt = performance.now() + WAIT_MS;
    if (this.#lanes.areBehind(BEHIND_MS)) void this.#look();
    if (turn !== undefined) return this.#inTurn(turn, { statement, values, endsAt });
    try {
      const rows = await this.#lanes.query<R>(statement.hasty ?? statement, values);
      this.#answers += 1;
      return rows;
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      return this.#waitForLock<R>({ statement, values, endsAt });
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#calm);
    await this.#lanes.close();
  }

  /** Tries more lanes when at least half of the sessions at work wait for their commits, and judges those that were tried. */
  async #look(): Promise<void> {
    const now = performance.now();
    if (this.#isLooking || now - this.#lookedAt < LOOK_EVERY_MS) return;
    const isBeginning = now - this.#lookedAt > APART_MS;
    this.#lookedAt = now;
    if (isBeginning) {
      // A trial came to no end: nobody was behind any more, because as much was answered all the time, or because the load ended.
      if (this.#rateBefore !== undefined && this.#rateAt(now) < this.#rateBefore) this.#giveUp(now);
      this.#rateBefore = undefined;
      this.#countFrom(now);
    } else if (this.#rateBefore !== undefined) this.#judge(this.#rateBefore, now);
    else if (now > this.#notBefore) await this.#tryMore(now);
  }

  async #tryMore(now: number): Promise<void> {
    const room = this.#count * WIDEST_FACTOR - this.#lanes.size;
    if (room <= 0) return;
    const rate = this.#rateAt(now);
    this.#isLooking = true;
    try {
      const [row] = await this.#patient.query<{ active: string; waiting: string }>(READ_COMMITS, []);
      const waiting = Number(row!.waiting);
      if (waiting <= 1 || waiting * 2 < Number(row!.active)) return;
      await this.#lanes.widen(Math.min(room, this.#count));
      this.#rateBefore = rate;
    } catch {
      // Nothing depends on it, and whoever is behind is told by his own statement.
    } finally {
      this.#countFrom(performance.now());
      this.#isLooking = false;
    }
  }

  #judge(rateBefore: number, now: number): void {
    if (now - this.#since.at < TRIAL_MS) return;
    const isWorthIt = this.#rateAt(now) >= rateBefore * WORTH_FACTOR;
    this.#countFrom(now);
    if (isWorthIt) {
      this.#rateBefore = undefined;
      this.#pauseMs = FIRST_PAUSE_MS;
    } else this.#giveUp(now);
  }

  /** Ends the trial without what was added, until it is time for another. */
  #giveUp(now: number): void {
    this.#rateBefore = undefined;
    this.#lanes.narrow();
    this.#notBefore = now + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }

  #countFrom(at: number): void {
    this.#since = { at, answers: this.#answers };
  }

  #rateAt = (now: number): number => (this.#answers - this.#since.answers) / (now - this.#since.at);

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
    if (!turn.lane?.isOpen) turn.lane = this.#lanes.choose();
    try {
      one.resolve(await turn.lane.query(one.statement.hasty ?? one.statement, one.values));
      this.#answers += 1;
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
