import type { Connections } from './connections.ts';
import type { StatementLanes } from './lanes.ts';
import { sql } from './statement.ts';

const LOOK_EVERY_MS = 200;
/** Looks that are further apart do not belong to the same time of being behind. */
const APART_MS = 1_000;
/** Beyond the lanes that open by themselves, so many times over, while what they wait for is a commit. */
const WIDEST_FACTOR = 3;
/** For so long answers are counted, without lanes and then with those that were added. */
const TRIAL_MS = 500;
/** So many times as many answers as without them, or they go again: so much dearer is a write that more sessions share the processor for. */
const WORTH_FACTOR = 1.3;
/** Until it is tried again; each time that it is of no use, twice as long. */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;
/** For so long what was found of use is believed, and then tried anew: the load was another, or it was luck. */
const BELIEVED_MS = 30_000;
/** Without anybody behind for so long, the lanes that were added go again. */
const CALM_MS = 10_000;

/** Sessions at work, and those that wait until what they wrote is safe: on the disk, or on a standby. */
const READ_COMMITS = sql(
  'lanes.commits',
  `SELECT count(*) AS active, count(*) FILTER (WHERE lower(wait_event) IN ('walwrite', 'walsync', 'syncrep')) AS waiting
   FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
);

interface Trial {
  /** Lanes before some were added, and answers a millisecond. */
  readonly lanes: number;
  readonly rate: number;
}

/**
 * Tries more lanes while all are behind and at least half of the sessions at work wait for their commits. What waits for a
 * processor is done no sooner on more, only dearer, and looks the same from here: so lanes that bring no more answers than there
 * were go again.
 */
export class LaneTrials {
  readonly #lanes: StatementLanes;
  readonly #count: number;
  /** What is asked on them does not wait behind whoever is behind. */
  readonly #connections: Connections;
  readonly #calm: NodeJS.Timeout;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #answers = 0;
  /** From where the rate of answers is counted. */
  #since = { at: Number.NEGATIVE_INFINITY, answers: 0 };
  #trial: Trial | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  #believedUntil = Number.POSITIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS;

  /** `count` are those of the lanes that open by themselves. */
  constructor(lanes: StatementLanes, count: number, connections: Connections) {
    this.#lanes = lanes;
    this.#count = count;
    this.#connections = connections;
    this.#calm = setInterval(() => {
      if (performance.now() - this.#lookedAt > CALM_MS) this.#lanes.narrow(count);
    }, CALM_MS);
    this.#calm.unref();
  }

  /** A statement was answered. */
  answered(): void {
    this.#answers += 1;
  }

  close(): void {
    clearInterval(this.#calm);
  }

  /** Every lane is behind: begins a trial, or judges the one under way. */
  async look(): Promise<void> {
    const now = performance.now();
    if (this.#isLooking || now - this.#lookedAt < LOOK_EVERY_MS) return;
    const isBeginning = now - this.#lookedAt > APART_MS;
    this.#lookedAt = now;
    if (isBeginning) this.#begin(now);
    else if (now - this.#since.at < TRIAL_MS) return;
    else if (this.#trial) this.#judge(this.#trial, now);
    else if (now > this.#believedUntil) this.#doubt(now);
    else if (now > this.#notBefore) await this.#tryMore(now);
  }

  /** A trial that came to no end: nobody was behind any more, because all was answered meanwhile, or because the load ended. */
  #begin(now: number): void {
    if (this.#trial && this.#rateAt(now) < this.#trial.rate) this.#giveUp(this.#trial, now);
    this.#trial = undefined;
    this.#countFrom(now);
  }

  async #tryMore(now: number): Promise<void> {
    const { size } = this.#lanes;
    const room = this.#count * WIDEST_FACTOR - size;
    if (room <= 0) return;
    const rate = this.#rateAt(now);
    this.#isLooking = true;
    try {
      const [row] = await this.#connections.query<{ active: string; waiting: string }>(READ_COMMITS, []);
      const waiting = Number(row!.waiting);
      if (waiting <= 1 || waiting * 2 < Number(row!.active)) return;
      await this.#lanes.widen(Math.min(room, this.#count));
      this.#trial = { lanes: size, rate };
    } catch {
      // Nothing depends on it, and whoever is behind is told by his own statement.
    } finally {
      this.#countFrom(performance.now());
      this.#isLooking = false;
    }
  }

  #judge(trial: Trial, now: number): void {
    if (this.#rateAt(now) < trial.rate * WORTH_FACTOR) this.#giveUp(trial, now);
    else {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#believedUntil = now + BELIEVED_MS;
    }
    this.#trial = undefined;
    this.#countFrom(now);
  }

  #giveUp({ lanes }: Trial, now: number): void {
    this.#lanes.narrow(lanes);
    this.#notBefore = now + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }

  #doubt(now: number): void {
    this.#believedUntil = Number.POSITIVE_INFINITY;
    this.#notBefore = Number.NEGATIVE_INFINITY;
    this.#lanes.narrow(this.#count);
    this.#countFrom(now);
  }

  #countFrom(at: number): void {
    this.#since = { at, answers: this.#answers };
  }

  #rateAt = (now: number): number => (this.#answers - this.#since.answers) / (now - this.#since.at);
}
