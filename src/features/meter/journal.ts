import { toTimestamp } from '../../platform/codec/text.ts';
import type { Clock } from '../../platform/postgres/clock.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import type { Progress } from './receipts.ts';
import { EXTRA_COUNT_REQUEST_LIMIT, INFERENCE_ATTEMPT_LIMIT } from './rules.ts';
import type { Attempt, Call } from './schemas.ts';
import { type RunRow, saveProgress } from './store.ts';
import type { CallResult } from './vendor.ts';

/** The run was ended elsewhere, because this worker was silent for too long. It must not send anything more. */
export class RunLostError extends Error {
  override name = 'RunLostError';
}

/** Stores each call before it is sent, so that a run without its worker shows what may have been spent. */
export class Journal {
  readonly progress: Progress;
  readonly #db: Db;
  readonly #run: RunRow;
  readonly #clock: Clock;

  constructor(db: Db, run: RunRow, clock: Clock) {
    this.#db = db;
    this.#run = run;
    this.#clock = clock;
    this.progress = JSON.parse(run.progress) as Progress;
  }

  count(send: () => Promise<CallResult>): Promise<CallResult> {
    const made = this.progress.countRequest === null ? 0 : 1;
    if (made >= EXTRA_COUNT_REQUEST_LIMIT) throw new Error('a run makes one count request');
    return this.#record(send, (call) => {
      this.progress.countRequest = call;
    });
  }

  attempt(send: () => Promise<CallResult>): Promise<CallResult> {
    const { attempts } = this.progress;
    const ordinal = attempts.length + 1;
    if (ordinal > INFERENCE_ATTEMPT_LIMIT) throw new Error('a run makes two inference attempts');
    return this.#record(send, (call) => {
      attempts[ordinal - 1] = { ordinal, ...call } satisfies Attempt;
    });
  }

  async #record(send: () => Promise<CallResult>, keep: (call: Call) => void): Promise<CallResult> {
    const startedAt = toTimestamp(this.#clock.now());
    keep({ usage: null, startedAt, finishedAt: null, error: { reason: 'interrupted' } });
    await this.#save();
    const result = await send();
    const finishedAt = toTimestamp(this.#clock.now());
    keep(
      result.ok
        ? { usage: result.usage, startedAt, finishedAt }
        : { usage: null, startedAt, finishedAt, error: result.error },
    );
    await this.#save();
    return result;
  }

  async #save(): Promise<void> {
    if (!(await saveProgress(this.#db, this.#run, JSON.stringify(this.progress)))) throw new RunLostError();
  }
}
