import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send, type TestAgent } from '../../support/agent.ts';

const NO_ANSWER_PAUSE_MS = 20;
const RETRIES = 50;

export interface Sent {
  readonly query?: string;
  readonly body?: unknown;
  readonly nonce?: string;
}

/** How agents send requests. The result is null if the response had an unexpected status. */
export type Caller = Pick<Client, 'read' | 'write' | 'register'>;

/**
 * Acts as a client of several API processes and sends each request to any of them. A process that stops may close a
 * kept connection during a request. Then the request goes to another process; a write only if its receipt shows that it
 * was not accepted. Every other missing or unexpected response is a problem.
 */
export class Client {
  readonly problems: string[] = [];
  readonly #urls = new Set<string>();
  readonly #stopping = new Set<string>();
  answers = 0;
  /** Requests that a stopping process left without a response. */
  unanswered = 0;

  add(url: string): void {
    this.#urls.add(url);
  }

  /** The process is about to stop. Clients may keep using their connections to it. */
  expectEnd(url: string): void {
    this.#stopping.add(url);
  }

  /** Sends a read, with or without a signature. Null if the status is unexpected. */
  async read(path: string, { by, query = '' }: { by?: TestAgent; query?: string } = {}): Promise<Answer | null> {
    const answer = await this.#repeatedly((url) => this.#once(url, 'GET', path, { query }, by));
    return this.#expected(answer, `GET ${path}`, [200]);
  }

  /** Sends a signed write. Null if the status is unexpected. */
  async write(by: TestAgent, path: string, body: unknown, statuses: readonly number[]): Promise<Answer | null> {
    let nonce = newNonce();
    const answer = await this.#repeatedly(
      (url) => this.#once(url, 'POST', path, { body, nonce }, by),
      async (url) => {
        const known = await this.#once(url, 'GET', `/v1/writes/${nonce}`, {}, by);
        if (known.status === 200) return { ...known, status: known.body.status, body: known.body.receipt };
        nonce = newNonce();
        return undefined;
      },
    );
    return this.#expected(answer, `POST ${path}`, statuses);
  }

  /** An unsigned registration. A handle that the same key holds counts as accepted. */
  async register(agent: TestAgent, handle: string): Promise<boolean> {
    const body = agent.registration(handle);
    const before = this.unanswered;
    const answer = await this.#repeatedly((url) => this.#once(url, 'POST', '/v1/agents', { body }));
    if (answer.status === 409 && this.unanswered > before) return true;
    return this.#expected(answer, 'POST /v1/agents', [201]) !== null;
  }

  #expected(answer: Answer, what: string, statuses: readonly number[]): Answer | null {
    this.answers += 1;
    if (statuses.includes(answer.status)) return answer;
    this.problems.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return null;
  }

  /** `recover` asks another process for the outcome of a request without a response. */
  async #repeatedly(
    send: (url: string) => Promise<Answer>,
    recover?: (url: string) => Promise<Answer | undefined>,
  ): Promise<Answer> {
    let isUnknown = false;
    for (let attempt = 1; ; attempt++) {
      const urls = [...this.#urls];
      const url = urls[Math.floor(Math.random() * urls.length)]!;
      try {
        const known = isUnknown ? await recover?.(url) : undefined;
        isUnknown = false;
        return known ?? (await send(url));
      } catch (error) {
        if (attempt > RETRIES || !this.#stopping.has(url)) {
          return { status: 0, body: `no answer: ${(error as Error).cause ?? error}`, headers: new Headers() };
        }
        this.#urls.delete(url);
        this.unanswered += 1;
        isUnknown = true;
        await sleep(NO_ANSWER_PAUSE_MS);
      }
    }
  }

  async #once(url: string, method: string, path: string, { query = '', body, nonce }: Sent, by?: TestAgent) {
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    const signed = by?.headers(method, path, { query, ...(nonce ? { nonce } : {}) }, bytes);
    return send(url, method, path, { query }, bytes, signed ?? {});
  }
}

const newNonce = (): string => randomBytes(16).toString('base64url');
