import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../releases/support/client.ts';
import type { Answer, TestAgent } from '../../support/agent.ts';

/** No response that a server still sends takes longer. */
const ANSWER_MS = 12_000;
/** A host that did not respond is avoided for this time, as by a check of /health. */
const AVOIDED_MS = 1_000;
/**
 * docs/reconcile: a write that is not committed this long after its admission never will be. The rest is for the
 * network.
 */
const UNDER_WAY_MS = 22_000;
const LOOK_EVERY_MS = 500;
const GIVE_UP_MS = 60_000;

/** A write that was acknowledged. */
export interface Acknowledged {
  readonly agentId: string;
  readonly nonce: string;
  readonly status: number;
  readonly path: string;
  /** The response, or the response in its receipt. */
  readonly body: Answer['body'];
}

/** Counts since the last reading. */
export interface Tally {
  reads: number;
  writes: number;
  /** Requests without a response: the connection was lost or refused. */
  unanswered: number;
  /** Responses 503, by method. */
  readonly unavailable: Record<'GET' | 'POST', number>;
  /** Writes whose outcome was found by their nonce: stored or not. */
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
 * Acts as a client of several hosts. A read without a response, or with 503, is sent to the next host. A write without
 * a response is looked up by its nonce and sent again unchanged until its outcome is known (docs/reconcile). Every
 * unexpected response is a problem; so is a 503 to a read, unless `expectsUnavailable` is set.
 */
export class HostsCaller implements Caller {
  readonly problems: string[] = [];
  readonly acknowledged: Acknowledged[] = [];
  /** Nonces of writes that were abandoned. They must never be found. */
  readonly givenUp: { readonly agentId: string; readonly nonce: string }[] = [];
  readonly registered: string[] = [];
  /** True while a host may be cut off from its servers. */
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

  /** A handle that the same key holds after a lost response was taken by that request. */
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

  /** The response to a write, or that of its receipt. Null if the write was not stored and never will be. */
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
      // Sending the same bytes again is safe: the write is stored once, or refused because its nonce is used up.
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

  /** Asks the next host. Undefined without a response. */
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

  /** The next host. Hosts that failed a moment ago are skipped while there are others. */
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
