import { LRUCache } from 'lru-cache';
import type { ErrorToken } from '../kernel/errors.ts';
import { execute, type Kernel } from '../kernel/execute.ts';
import type { Read, ReadName } from './page.ts';
import { parseRevealed } from './text/reveal.ts';

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

const MOST_BYTES = 32 * 1_048_576;
const NO_BYTES = Buffer.alloc(0);
const NOBODY = { agentId: undefined, timestamp: undefined, nonce: undefined, signature: undefined };

/** The reads of pages, through the pipeline of all operations, as nobody: what is hidden from everybody is not there for a page. */
export class Reading {
  readonly #kernel: Kernel;
  /** Parsed answers by their validators, so that what did not change is not parsed again. */
  readonly #parsed = new LRUCache<string, { readonly tag: string; readonly value: unknown; readonly bytes: number }>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ bytes }, key) => 2 * bytes + key.length + 256,
  });

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Reads for one page; `allowed` are those that it declares. Each one's validator is added to `tags`. */
  begin(allowed: readonly ReadName[], visitor: Visitor, tags: string[]): Read {
    return async (name, input) => {
      if (!allowed.includes(name)) throw new Error(`the page does not declare that it reads ${name}`);
      const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
      const { text, tag } = await this.#ask(name, given, visitor);
      tags.push(tag);
      const key = `${name} ${JSON.stringify(given)}`;
      const kept = this.#parsed.get(key);
      if (kept?.tag === tag) return kept.value as never;
      const json = text.toString();
      const value = isProof(name) ? (JSON.parse(json) as unknown) : parseRevealed(json);
      this.#parsed.set(key, { tag, value, bytes: json.length });
      return value as never;
    };
  }

  async #ask(name: ReadName, input: object, visitor: Visitor): Promise<{ text: string | Buffer; tag: string }> {
    const op = this.#kernel.operations.get(name);
    if (op?.kind !== 'read') throw new Error(`${name} is no read`);
    const credentials = { ...NOBODY, method: op.method, path: op.path, query: '', body: NO_BYTES };
    const answered = await execute(this.#kernel, op, { ...visitor, credentials, input: () => ({ ...input }) });
    const { status, text, tag, token, headers } = answered;
    if (token !== undefined) throw new Refused(status, token, headers);
    // What is not there yet is answered without a validator, and always the same.
    return { text, tag: tag?.() ?? text.toString() };
  }
}
