import type { ErrorToken } from '../operation/errors.ts';
import { execute, type Kernel } from '../pipeline/execute.ts';
import type { FreshResponse } from '../pipeline/versionedCache.ts';
import type { Read, ReadName } from './page.ts';
import { revealed } from './text/reveal.ts';

/** Who asks for a page, as far as operations want to know. */
export interface Visitor {
  readonly requestId: string;
  readonly traceId?: string | undefined;
  readonly address: string;
}

/** A read that was refused: the page is an error page. */
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

/** A proof holds all that was signed, of which its page shows a part: that part alone is revealed, there. */
const isProof = (name: ReadName): boolean => name.endsWith('.proof');

const NOBODY = {
  agentId: undefined,
  timestamp: undefined,
  nonce: undefined,
  signature: undefined,
  query: '',
  body: Buffer.alloc(0),
};

/** One read that a page was made of, and the validator of its answer. */
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

/**
 * The reads of one page, through the pipeline of all operations, as nobody: what is hidden from everybody is not there for a page.
 * Each is asked once.
 */
export class Reading {
  /** What was read, in the order in which it was. */
  readonly asked: Asked[] = [];
  readonly #kernel: Kernel;
  readonly #allowed: readonly ReadName[];
  readonly #visitor: Visitor;
  readonly #answers = new Map<string, Promise<Answer>>();

  /** `allowed` are the reads that the page declares. */
  constructor(kernel: Kernel, allowed: readonly ReadName[], visitor: Visitor) {
    this.#kernel = kernel;
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

  /** Whether all that was asked before is answered as it was: then what was made of it is what would be made now, and nothing is parsed. */
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
    const op = this.#kernel.operations.get(name);
    if (op?.kind !== 'read') throw new Error(`${name} is no read`);
    const { requestId, traceId, address } = this.#visitor;
    const { method, path } = op;
    const answered = await execute(this.#kernel, op, {
      requestId,
      traceId,
      address,
      credentials: { method, path, ...NOBODY },
      input: () => ({ ...input }),
    });
    const { status, text, tag, fresh, token, headers } = answered;
    if (token !== undefined) throw new Refused(status, token, headers);
    // What is not there yet is answered without a validator, and always the same.
    return { text, fresh, tag: tag?.() ?? text.toString() };
  }
}
