import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verifyConsistency } from '../../../../src/protocol/merkle.ts';
import {
  COSIGNATURE_KEY,
  type Head,
  NoteSigner,
  parseCheckpointText,
  parseNote,
  type Verifier,
  verifyNote,
} from '../../../../src/protocol/note.ts';

interface Outcome {
  readonly status: number;
  readonly text?: string;
  readonly type?: string;
}

/**
 * A witness of C2SP tlog-witness on loopback, in memory: it follows the page word by word, and trusts any log key
 * given.
 */
export class LoopbackWitness {
  readonly signer: NoteSigner;
  readonly answered: number[] = [];
  /** Does not answer at all. */
  isSilent = false;
  /** Answers 500 at once. */
  isFailing = false;
  /** What the next head that it is asked about waits for. */
  #delay: Promise<void> | undefined;
  readonly #logs = new Map<string, { verifier: Verifier; head: Head | undefined; note: string }>();
  readonly #server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    if (this.isSilent) return;
    const isPost = request.method === 'POST' && request.url === '/add-checkpoint';
    if (isPost) await this.#delayed();
    const { status, text = '', type = 'text/plain' } = isPost ? this.#add(body) : this.#show(request.url ?? '');
    this.answered.push(status);
    response.writeHead(status, { 'content-type': type }).end(text);
  });

  constructor(name: string, seed: Uint8Array) {
    this.signer = new NoteSigner(name, seed, COSIGNATURE_KEY);
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** How a worker is configured with it. */
  get setting(): string {
    return `${this.signer.verifierKey} http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  trust(verifier: Verifier): void {
    this.#logs.set(verifier.name, { verifier, head: undefined, note: '' });
  }

  /** Trusts the next key of a log that it knows, from the head on that it has seen. */
  follow(verifier: Verifier): void {
    const known = this.#logs.get(verifier.name)!;
    this.#logs.set(verifier.name, { ...known, verifier });
  }

  headOf(origin: string): Head | undefined {
    return this.#logs.get(origin)?.head;
  }

  /** As if it had seen another history; it shows the note, where there is one. */
  believe(origin: string, head: Head, note = ''): void {
    this.#logs.set(origin, { ...this.#logs.get(origin)!, head, note });
  }

  /**
   * The next head waits, and all others pass. Returns a function that checks whether it waits, and one that releases
   * it.
   */
  holdNext(): { isHolding(): boolean; release(): void } {
    let release = () => {};
    this.#delay = new Promise((resolve) => {
      release = resolve;
    });
    return { isHolding: () => this.#delay === undefined, release };
  }

  async #delayed(): Promise<void> {
    const delay = this.#delay;
    this.#delay = undefined;
    await delay;
  }

  #add(body: string): Outcome {
    if (this.isFailing) return { status: 500 };
    const end = body.indexOf('\n\n');
    const [first = '', ...proofLines] = body.slice(0, end).split('\n');
    const [, digits] = /^old (0|[1-9]\d*)$/.exec(first) ?? [];
    const note = parseNote(body.slice(end + 2));
    const head = note && parseCheckpointText(note.text);
    if (digits === undefined || !note || !head || proofLines.length > 63) return { status: 400 };
    const log = this.#logs.get(head.origin);
    if (!log) return { status: 404 };
    if (!verifyNote(note, [log.verifier])?.length) return { status: 403 };
    const old = Number(digits);
    if (old > head.size) return { status: 400 };
    const known = log.head?.size ?? 0;
    if (old !== known) return { status: 409, text: `${known}\n`, type: 'text/x.tlog.size' };
    const proof = proofLines.map((line) => Buffer.from(line, 'base64'));
    const isContinued = old === 0 ? proof.length === 0 : verifyConsistency(log.head!, head, proof);
    if (!isContinued) return { status: 422 };
    const line = this.signer.sign(note.text, Math.floor(Date.now() / 1_000));
    this.#logs.set(head.origin, { ...log, head, note: body.slice(end + 2) + line });
    return { status: 200, text: line };
  }

  #show(url: string): Outcome {
    for (const [origin, { note }] of this.#logs) {
      if (url === `/${hash('sha256', origin)}/checkpoint` && note !== '') return { status: 200, text: note };
    }
    return { status: 404 };
  }
}
