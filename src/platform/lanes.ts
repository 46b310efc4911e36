import type { Socket } from 'node:net';
import pg from 'pg';
import type { Statement } from './statement.ts';

/** No connection could be had, for the reason in `cause`: the statement never left this process. */
export class NothingSent extends Error {
  constructor(cause: unknown) {
    super('no connection to send the statement on', { cause });
    this.name = 'NothingSent';
  }
}

interface Lane {
  client: pg.Client;
  ready: Promise<void>;
  /** Statements sent and not yet answered. */
  waiting: number;
  isCorked: boolean;
}

/**
 * A few connections that many requests share: each statement goes down the least busy lane, behind the others, without
 * waiting for their answers, and what one turn of the event loop sends travels in one system call. A read costs half the
 * CPU of one on a pooled connection of its own. Only for statements that wait for no lock held for long: who comes behind
 * a slow one waits with it. A lane that breaks rejects what is on it and is opened anew by the next statement.
 */
export class StatementLanes {
  readonly #config: pg.ClientConfig;
  readonly #lanes: (Lane | undefined)[];
  #isClosed = false;

  constructor(config: pg.ClientConfig, count: number) {
    this.#config = config;
    this.#lanes = Array.from({ length: count }, () => undefined);
  }

  async query<R extends object>({ name, text }: Statement, values: readonly unknown[]): Promise<R[]> {
    const lane = this.#leastBusy();
    lane.waiting += 1;
    try {
      await lane.ready.catch((error: unknown) => {
        throw new NothingSent(error);
      });
      corkThisTurn(lane);
      return (await lane.client.query<R>({ name, text, values: values as unknown[] })).rows;
    } finally {
      lane.waiting -= 1;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#lanes.map((lane) => lane?.client.end().catch(() => {})));
  }

  /** An idle open lane, else one that can still be opened, else the one with the fewest statements waiting. */
  #leastBusy(): Lane {
    let best: Lane | undefined;
    let free = -1;
    for (const [index, lane] of this.#lanes.entries()) {
      if (!lane) free = index;
      else if (!best || lane.waiting < best.waiting) best = lane;
    }
    if (best?.waiting === 0 || free === -1) return best!;
    return this.#open(free);
  }

  #open(index: number): Lane {
    if (this.#isClosed) throw new Error('Client was closed and is not queryable');
    const client = new pg.Client(this.#config);
    const lane: Lane = { client, ready: Promise.resolve(), waiting: 0, isCorked: false };
    const drop = () => {
      if (this.#lanes[index] === lane) this.#lanes[index] = undefined;
    };
    client.on('error', drop);
    client.on('end', drop);
    lane.ready = client.connect().then(
      () => undefined,
      (error: unknown) => {
        drop();
        throw error;
      },
    );
    this.#lanes[index] = lane;
    return lane;
  }
}

/** Holds back what is written until the end of this turn; the driver keeps its socket on `connection.stream`. */
function corkThisTurn(lane: Lane): void {
  if (lane.isCorked) return;
  const { stream } = (lane.client as unknown as { connection: { stream: Socket } }).connection;
  lane.isCorked = true;
  stream.cork();
  setImmediate(() => {
    lane.isCorked = false;
    stream.uncork();
  });
}
