import { withTimeout } from '../withTimeout.ts';
import { type Connections, MAX_WAITING_FOR_A_KEY } from './connections.ts';
import { LOCK_NOT_AVAILABLE, sqlState, wasUndone } from './errors.ts';
import { PipelinedPool } from './pipelinedPool.ts';
import { Busy } from './semaphore.ts';
import type { ConnectionConfig, Statement } from './statement.ts';

/** One more write in a larger batch costs hardly less, and every write in it waits longer. */
const MAX_BATCH = 16;
/** The next batch is sent after this time even if the last one is unanswered: it may be stuck, or its commit slow. */
const PATIENCE_MS = 20;
/** A longer write (in characters) is sent by itself, so that short ones do not wait for it. */
const MAX_BATCHED_LENGTH = 16_384;
/**
 * How long a write waits in memory for its row or a connection. The lock itself may take `lock_timeout` more
 * (docs/growing#one-thing-that-everybody-wants).
 */
const LOCK_WAIT_MS = 3_500;
/** With the wait for a lock, a write ends in time (docs/operations#time-limits). */
const MAX_AGE_MS = 6_000;

export interface BatchRow {
  readonly answers: readonly WriteResult['answer'][];
  readonly extras?: readonly WriteResult['extra'][];
}

export interface WriteResult {
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly extra?: Readonly<Record<string, unknown>> | null;
}

interface PendingWrite {
  readonly json: string;
  readonly key: string;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends writes of one statement in batches, committed whole. If the server undoes a batch, each write is sent by
 * itself. Batches fail at once where a row is locked: one write then waits for the lock, the others in memory.
 */
export class BatchedWrites {
  readonly #pipelined: PipelinedPool;
  readonly #blocking: Connections;
  readonly #queues = new Map<Statement, WriteQueue>();
  /** For each locked row: settles when the write that waits for the lock is done. */
  readonly #locked = new Map<string, { readonly done: Promise<boolean>; waiting: number }>();

  /** `blocking` are the connections of writes that wait for a lock. */
  constructor(config: ConnectionConfig, connections: number, blocking: Connections) {
    this.#pipelined = new PipelinedPool(config, connections, MAX_AGE_MS);
    this.#blocking = blocking;
  }

  /** `json` is one write, `key` the row that it locks. Throws `Busy` if too many wait for it, or if it stays locked. */
  async write(statement: Statement, json: string, key: string): Promise<WriteResult> {
    const deadline = performance.now() + LOCK_WAIT_MS;
    for (;;) {
      if (this.#locked.has(key)) await this.#untilUnlocked(key, deadline);
      try {
        const queue = this.#queues.get(statement) ?? new WriteQueue(this.#pipelined, statement);
        this.#queues.set(statement, queue);
        return await queue.add(json, key);
      } catch (error) {
        if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      }
      if (!this.#locked.has(key)) return this.#waitForLock(statement, json, key, deadline);
    }
  }

  get waiting(): { onConnection: number; forBatch: number; forRow: number } {
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
    return {
      onConnection: this.#pipelined.behind,
      forBatch: sum([...this.#queues.values()].map(({ pending }) => pending.length)),
      forRow: sum([...this.#locked.values()].map(({ waiting }) => waiting)),
    };
  }

  async close(): Promise<void> {
    await this.#pipelined.close();
  }

  async #untilUnlocked(key: string, deadline: number): Promise<void> {
    for (let row = this.#locked.get(key); row; row = this.#locked.get(key)) {
      if (row.waiting >= MAX_WAITING_FOR_A_KEY) throw new Busy('too many wait for the same');
      row.waiting += 1;
      const isInTime = await withTimeout(row.done, deadline - performance.now(), () => false);
      row.waiting -= 1;
      if (!isInTime) throw new Busy('the row stayed locked');
    }
  }

  async #waitForLock(statement: Statement, json: string, key: string, deadline: number): Promise<WriteResult> {
    const waitMs = deadline - performance.now();
    const rows = this.#blocking.query<BatchRow>(statement, [`[${json}]`, false], { waitMs });
    const end = () => true;
    this.#locked.set(key, { done: rows.then(end, end), waiting: 0 });
    try {
      return resultsOf(await rows)[0]!;
    } finally {
      this.#locked.delete(key);
    }
  }
}

class WriteQueue {
  readonly #pool: PipelinedPool;
  readonly #statement: Statement;
  readonly #keys = new Set<string>();
  pending: PendingWrite[] = [];
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: PipelinedPool, statement: Statement) {
    this.#pool = pool;
    this.#statement = statement;
  }

  async add(json: string, key: string): Promise<WriteResult> {
    if (json.length > MAX_BATCHED_LENGTH) return (await this.#send([{ json }]))[0]!;
    if (this.pending.length === 0) {
      // The batch leaves at the end of this tick, or when the batch under way is answered.
      if (this.#underWay === 0) setImmediate(() => this.#flush());
      else this.#timer = setTimeout(() => this.#flush(), PATIENCE_MS);
    }
    return new Promise((resolve, reject) => {
      this.pending.push({ json, key, resolve, reject });
    });
  }

  async #send(writes: readonly { readonly json: string }[]): Promise<WriteResult[]> {
    const array = `[${writes.map(({ json }) => json).join(',')}]`;
    return resultsOf(await this.#pool.query<BatchRow>(this.#statement, [array, true]));
  }

  /** Writes for a row that a batch under way locks stay for the next batch: now they would wait for that lock. */
  #flush(): void {
    clearTimeout(this.#timer);
    // Batches lock rows in one order, so that two of them cannot wait for each other. Writes for one row keep their
    // order.
    const writes = this.pending.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    const blocked: PendingWrite[] = [];
    let batch: PendingWrite[] = [];
    for (const write of writes) {
      if (this.#keys.has(write.key)) blocked.push(write);
      else batch.push(write);
      if (batch.length < MAX_BATCH) continue;
      void this.#sendBatch(batch);
      batch = [];
    }
    if (batch.length > 0) void this.#sendBatch(batch);
    this.pending = blocked;
    if (blocked.length > 0) this.#timer = setTimeout(() => this.#flush(), PATIENCE_MS);
  }

  async #sendBatch(writes: readonly PendingWrite[]): Promise<void> {
    const keys = new Set(writes.map(({ key }) => key));
    for (const key of keys) this.#keys.add(key);
    this.#underWay += 1;
    try {
      const results = await this.#send(writes);
      for (const [index, { resolve }] of writes.entries()) resolve(results[index]!);
    } catch (error) {
      if (writes.length > 1 && wasUndone(error)) await this.#sendEachAlone(writes);
      else for (const write of writes) this.#reject(write, error);
    }
    this.#underWay -= 1;
    for (const key of keys) this.#keys.delete(key);
    if (this.pending.length > 0) this.#flush();
  }

  async #sendEachAlone(writes: readonly PendingWrite[]): Promise<void> {
    const waiting = new Set(writes);
    for (const write of writes) {
      if (!waiting.delete(write)) continue;
      try {
        write.resolve((await this.#send([write]))[0]!);
      } catch (error) {
        this.#reject(write, error, waiting);
      }
    }
  }

  /** Once a write finds its row locked, all others for that row are rejected too, instead of waiting in turn. */
  #reject(write: PendingWrite, error: unknown, waiting: Set<PendingWrite> = new Set()): void {
    write.reject(error);
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) return;
    for (const other of [...waiting, ...this.pending]) {
      if (other.key !== write.key) continue;
      waiting.delete(other);
      other.reject(error);
    }
    this.pending = this.pending.filter(({ key }) => key !== write.key);
  }
}

export const resultsOf = ([row]: readonly BatchRow[]): WriteResult[] =>
  row!.answers.map((answer, index) => ({ answer, extra: row!.extras?.[index] ?? null }));
