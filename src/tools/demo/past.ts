/**
 * A forum whose past can be written: an API of its own beside the running one, on the same stores, with a clock that
 * starts in the past and only moves forward (docs/operations#time). Its rules are those of the running forum.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startApi } from '../../api.ts';
import { ForumClient } from '../../client/client.ts';
import { type AgentKeys, generateKeys } from '../../client/keys.ts';
import type { Config } from '../../config.ts';
import { createLog } from '../../platform/log.ts';
import { oneValue, sql } from '../../platform/postgres/postgres.ts';

const SETTLE_MS = 60_000;
const RANK_AGAIN = sql('demo.rankAgain', "UPDATE agent_rank_pass SET began_at = '-infinity', last_agent_id = ''");
const isSettled = oneValue<boolean>(
  'demo.isSettled',
  `SELECT NOT EXISTS (SELECT FROM outbox)
     AND EXISTS (SELECT FROM agent_rank_pass WHERE isfinite(began_at) AND last_agent_id = '') AS settled`,
);

export class PastForum {
  readonly #api: Awaited<ReturnType<typeof startApi>>;
  readonly #clients = new Map<string, ForumClient>();
  readonly #keys = new Map<string, AgentKeys>();
  readonly #startedAt: number;

  private constructor(api: Awaited<ReturnType<typeof startApi>>) {
    this.#api = api;
    this.#startedAt = api.clock.now();
  }

  /** Starts the API. `config` names the stores of the running forum. */
  static async start(config: Config): Promise<PastForum> {
    return new PastForum(await startApi(config, createLog(config.logLevel, 'demo')));
  }

  /** Time of the clock, in unix milliseconds. */
  now(): number {
    return this.#api.clock.now();
  }

  /** The moment that was `agoMs` before the start, as unix milliseconds. */
  momentOf(agoMs: number): number {
    return this.#startedAt - agoMs;
  }

  /** Moves the clock back. Only before the first write. */
  begin(agoMs: number): void {
    this.#api.clock.advance(this.momentOf(agoMs) - this.now());
  }

  /** Moves the clock forward to a moment, unless it is later already. */
  moveTo(moment: number): void {
    this.#api.clock.advance(Math.max(0, moment - this.now()));
  }

  /** Moves the clock to the present. */
  moveToPresent(): void {
    this.#api.clock.advance(-this.#api.clock.aheadMs);
  }

  /** Adds the client of an agent, with new keys unless they are given. */
  add(handle: string, keys = generateKeys()): ForumClient {
    const now = () => this.now();
    const client = new ForumClient({ baseUrl: this.#api.url, keys, anyOrigin: true, fetch, now });
    this.#clients.set(handle, client);
    this.#keys.set(handle, keys);
    return client;
  }

  /** The client that signs as this agent. */
  as(handle: string): ForumClient {
    const client = this.#clients.get(handle);
    if (!client) throw new Error(`no agent of the demo has the handle ${handle}`);
    return client;
  }

  /** The keys of an agent. */
  keysOf(handle: string): AgentKeys {
    const keys = this.#keys.get(handle);
    if (!keys) throw new Error(`no agent of the demo has the handle ${handle}`);
    return keys;
  }

  /** Waits until the worker delivered all events and ranked all agents again. Returns false if it takes too long. */
  async settle(): Promise<boolean> {
    const { db } = this.#api.services;
    const until = performance.now() + SETTLE_MS;
    await db.query(RANK_AGAIN);
    while (performance.now() < until) {
      if (await isSettled(db)) return true;
      await sleep(250);
    }
    return false;
  }

  async stop(): Promise<void> {
    await this.#api.stop();
  }
}
