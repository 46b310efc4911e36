import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../releases/support/client.ts';
import type { Answer, TestAgent } from '../../support/agent.ts';

/** Nothing that a server means to answer takes longer. */
const ANSWER_MS = 12_000;
/** A host that did not answer is asked again after so long, as by who looks at /health. */
const AVOIDED_MS = 1_000;
/** docs/reconcile: a write that is not committed so long after it was let in never will be; the rest is for the way. */
const UNDER_WAY_MS = 22_000;
const LOOK_EVERY_MS = 500;
const GIVE_UP_MS = 60_000;

/** A write that was acknowledged. */
export interface Acknowledged {
  readonly agentId: string;
  readonly nonce: string;
  readonly status: number;
  readonly path: string;
  /** Its answer, or what its receipt said. */
  readonly body: Answer['body'];
}

/** What went on since it was asked last. */
export interface Tally {
  reads: number;
  writes: number;
  /** Requests without an answer: the connection was lost, or none could be had. */
  unanswered: number;
  /** Answers 503, by method. */
  readonly unavailable: Record<'GET' | 'POST', number>;
  /** Writes whose fate was found out by their nonce: done, or not. */
  foundDone: number;
  foundUndone: number;
  slowestMs: number;
}

const newTally = (): Tally => ({
  reads: 0,
  writes: 0,
  unanswered: 0,
  unavailable: { GET: 0, POST: 0 },
  foundDone: 0,
  foundUndone: 0,
  slowestMs: 0,
});

interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly by: TestAgent | undefined;
  readonly query?: string;
  readonly body?: unknown;
  readonly nonce?: string;
}

/**
 * What callers of several hosts do, one after another: a read that had no answer, or 503, is sent to the next host; a write
 * that had none is looked for by its nonce and sent again, the very same, until it is known (docs/reconcile). Every answer that
 * is none of those expected is a problem; so is a 503 to a read, unless `expectUnavailable` was said.
 */
export class HostsCaller implements Caller {
  readonly problems: string[] = [];
  readonly acknowledged: Acknowledged[] = [];
  /** Nonces of writes that were given up: they must never be found. */
  readonly givenUp: { readonly agentId: string; readonly nonce: string }[] = [];
  readonly registered: string[] = [];
  /** While it is true a host may be cut off from what it needs. */
  expectsUnavailable = false;
  #tally = newTally();
  readonly #hosts: { readonly url: string; avoidedUntil: number }[] = [];
  #turn = 0;

  add(url: string): void {
    this.#hosts.push({ url, avoidedUntil: 0 });
  }

  remove(url: string): void {
    this.#hosts.splice(
      this.#hosts.findIndex((host) => host.url === url),
      1,
    );
  }

  takeTally(): Tally {
    const tally = this.#tally;
    this.#tally = newTally();
    return tally;
  }

  async read(path: string, { by, query = '' }: { by?: TestAgent; query?: string } = {}): Promise<Answer | null> {
    this.#tally.reads += 1;
    const startedAt = performance.now();
    for (;;) {
      const answer = await this.#send({ method: 'GET', path, by, query });
      const ms = performance.now() - startedAt;
      if (answer && answer.status !== 503) {
        this.#tally.slowestMs = Math.max(this.#tally.slowestMs, ms);
        return this.#expected(answer, `GET ${path}`, [200]);
      }
      if (answer && !this.expectsUnavailable) return this.#problem(`GET ${path}`, answer);
      if (ms > GIVE_UP_MS) return this.#problem(`GET ${path}`, answer);
    }
  }

  async write(by: TestAgent, path: string, body: unknown, statuses: readonly number[]): Promise<Answer | null> {
    this.#tally.writes += 1;
    const startedAt = performance.now();
    for (;;) {
      const nonce = randomBytes(16).toString('base64url');
      const answer = await this.#writeOnce({ method: 'POST', path, by, body, nonce });
      const ms = performance.now() - startedAt;
      if (answer) {
        this.#tally.slowestMs = Math.max(this.#tally.slowestMs, ms);
        const expected = this.#expected(answer, `POST ${path}`, statuses);
        if (expected && expected.status < 300) {
          this.acknowledged.push({ agentId: by.agentId, nonce, status: answer.status, path, body: answer.body });
        }
        return expected;
      }
      this.givenUp.push({ agentId: by.agentId, nonce });
      this.#tally.foundUndone += 1;
      if (ms > GIVE_UP_MS) return this.#problem(`POST ${path}`, null);
    }
  }

  /** A handle that is taken by the same key after a lost answer was taken by it before. */
  async register(agent: TestAgent, handle: string): Promise<boolean> {
    const startedAt = performance.now();
    let isUnknown = false;
    while (performance.now() - startedAt < GIVE_UP_MS) {
      const body = agent.registration(handle);
      const answer = await this.#send({ method: 'POST', path: '/v1/agents', by: undefined, body });
      if (answer?.status === 201 || (answer?.status === 409 && isUnknown)) {
        this.registered.push(agent.agentId);
        return true;
      }
      if (answer && answer.status !== 503) return this.#problem('POST /v1/agents', answer) !== null;
      isUnknown = true;
      await sleep(LOOK_EVERY_MS);
    }
    return this.#problem('POST /v1/agents', null) !== null;
  }

  /** The answer to a write, or what its receipt says; null when it was not carried out and never will be. */
  async #writeOnce(request: Request & { by: TestAgent; nonce: string }): Promise<Answer | null> {
    let answer = await this.#send(request);
    const sentAt = performance.now();
    while (!answer || answer.status === 503 || answer.status === 401) {
      await sleep(LOOK_EVERY_MS);
      const known = await this.#send({ method: 'GET', path: `/v1/writes/${request.nonce}`, by: request.by });
      if (known?.status === 200) {
        this.#tally.foundDone += 1;
        return { ...known, status: known.body.status, body: known.body.receipt };
      }
      if (known?.status === 404 && performance.now() - sentAt > UNDER_WAY_MS) return null;
      // The very same again does no harm: it is carried out once, or refused because its nonce is spent.
      if (answer?.status !== 401) answer = await this.#send(request);
    }
    return answer;
  }

  #expected(answer: Answer, what: string, statuses: readonly number[]): Answer | null {
    return statuses.includes(answer.status) ? answer : this.#problem(what, answer);
  }

  #problem(what: string, answer: Answer | null | undefined): null {
    const said = answer ? `${answer.status} ${JSON.stringify(answer.body)}` : 'no answer';
    this.problems.push(`${new Date().toISOString()} ${what}: ${said} ${answer?.headers.get('x-request-id') ?? ''}`);
    return null;
  }

  /** Asks the next host; undefined where no answer came. */
  async #send(request: Request): Promise<Answer | undefined> {
    const host = await this.#nextHost();
    const { method, path, by, query = '', body, nonce } = request;
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    const signed = by?.headers(method, path, { query, ...(nonce ? { nonce } : {}) }, bytes);
    try {
      const response = await fetch(`${host.url}${path}${query ? `?${query}` : ''}`, {
        method,
        headers: { ...(bytes.length > 0 ? { 'content-type': 'application/json' } : {}), ...signed },
        ...(bytes.length > 0 ? { body: new Uint8Array(bytes) } : {}),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const text = await response.text();
      if (response.status === 503) {
        this.#tally.unavailable[method] += 1;
        host.avoidedUntil = performance.now() + AVOIDED_MS;
      }
      return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers };
    } catch {
      this.#tally.unanswered += 1;
      host.avoidedUntil = performance.now() + AVOIDED_MS;
      return undefined;
    }
  }

  /** In turn, past those that failed a moment ago while there are others. */
  async #nextHost() {
    for (;;) {
      const now = performance.now();
      const rested = this.#hosts.filter(({ avoidedUntil }) => avoidedUntil < now);
      const host = rested[this.#turn++ % rested.length];
      if (host) return host;
      await sleep(50);
    }
  }
}
