import { execute, type Services } from '../pipeline/execute.ts';
import type { FreshResponse } from '../pipeline/versionedCache.ts';
import type { ErrorToken } from '../protocol/errorTokens.ts';
import type { Read, ReadName } from './page.ts';
import { revealed } from './text/reveal.ts';

export interface Visitor {
  readonly requestId: string;
  readonly traceId?: string | undefined;
  readonly address: string;
}

/** Thrown if a read is refused. The site then sends an error page. */
export class Refused extends Error {
  readonly status: number;
  readonly token: ErrorToken;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, token: ErrorToken, headers: Readonly<Record<string, string>>) {
    super(token);
    this.status = status;
    this.token = token;
    this.headers = headers;
  }
}

/** Pages of proofs reveal hidden characters themselves, because they show only a part of a proof. */
const isProof = (name: ReadName): boolean => name.endsWith('.proof');

const NOBODY = {
  agentId: undefined,
  timestamp: undefined,
  nonce: undefined,
  signature: undefined,
  query: '',
  body: Buffer.alloc(0),
};

export interface Asked {
  readonly name: ReadName;
  readonly input: object;
  readonly tag: string;
}

interface Answer {
  readonly text: string | Buffer;
  readonly fresh: FreshResponse | undefined;
  readonly tag: string;
}

/** Calls the reads of one page through the pipeline, without credentials and each only once. */
export class Reading {
  readonly asked: Asked[] = [];
  readonly #services: Services;
  readonly #allowed: readonly ReadName[];
  readonly #visitor: Visitor;
  readonly #answers = new Map<string, Promise<Answer>>();

  constructor(services: Services, allowed: readonly ReadName[], visitor: Visitor) {
    this.#services = services;
    this.#allowed = allowed;
    this.#visitor = visitor;
  }

  readonly read: Read = async (name, input) => {
    if (!this.#allowed.includes(name)) throw new Error(`the page does not declare that it reads ${name}`);
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const { text, tag, fresh } = await this.#ask(name, given);
    this.asked.push({ name, input: given, tag });
    const bytes = typeof text === 'string' ? undefined : text;
    const json = fresh?.json ?? text.toString();
    return (isProof(name) ? JSON.parse(json) : revealed(json, fresh?.body, bytes)) as never;
  };

  /** True if all reads return the same ETags as before, so that the cached page is current. */
  async isAnsweredAs(before: readonly Asked[]): Promise<boolean> {
    const answers = await Promise.allSettled(before.map(({ name, input }) => this.#ask(name, input)));
    return answers.every((each, n) => each.status === 'fulfilled' && each.value.tag === before[n]!.tag);
  }

  #ask(name: ReadName, input: object): Promise<Answer> {
    const key = `${name} ${JSON.stringify(input)}`;
    const answer = this.#answers.get(key) ?? this.#execute(name, input);
    this.#answers.set(key, answer);
    return answer;
  }

  async #execute(name: ReadName, input: object): Promise<Answer> {
    const op = this.#services.operations.get(name);
    if (op?.kind !== 'read') throw new Error(`${name} is no read`);
    const { requestId, traceId, address } = this.#visitor;
    const { method, path } = op;
    const { status, text, tag, fresh, token, headers } = await execute(this.#services, op, {
      requestId,
      traceId,
      address,
      credentials: { method, path, ...NOBODY },
      input: () => ({ ...input }),
    });
    if (token !== undefined) throw new Refused(status, token, headers);
    // A response without an ETag is a constant, such as that of a pending read.
    return { text, fresh, tag: tag?.() ?? text.toString() };
  }
}
