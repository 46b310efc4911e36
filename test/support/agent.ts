import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type EncryptionKeys, encryptionKeys, type SigningKeys, signingKeys } from './keys.ts';

/** What came back: status, parsed body, headers. */
export interface Answer {
  readonly status: number;
  // Tests look into bodies freely; their shapes are checked by the service's own schemas in every test.
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the service sent
  readonly body: any;
  readonly headers: Headers;
}

export interface SendOptions {
  readonly query?: string;
  readonly body?: unknown;
  /** Exact bytes instead of `body`. */
  readonly rawBody?: string | Buffer;
  readonly headers?: Record<string, string>;
  /** Seconds added to the timestamp. */
  readonly skewSeconds?: number;
  readonly nonce?: string;
}

const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

/**
 * A second, independent implementation of docs/signing: it shares no code with the service or its client, so that an
 * error in one is not repeated by the other.
 */
export class TestAgent {
  readonly signing: SigningKeys;
  readonly encryption: EncryptionKeys;
  readonly agentId: string;
  handle = '';
  readonly #baseUrl: string;
  readonly #now: () => number;

  constructor(baseUrl: string, now: () => number = Date.now, seed: Uint8Array = randomBytes(32)) {
    this.#baseUrl = baseUrl;
    this.#now = now;
    this.signing = signingKeys(seed);
    this.encryption = encryptionKeys(sha256(seed));
    this.agentId = `ag1-${b64(sha256(this.signing.publicKey).subarray(0, 16))}`;
  }

  get encryptionPublicKey(): string {
    return b64(this.encryption.publicKey);
  }

  /** The same agent, signing with another key. */
  withKey(seed: Uint8Array = randomBytes(32)): TestAgent {
    const { agentId, handle, encryption } = this;
    return Object.assign(new TestAgent(this.#baseUrl, this.#now, seed), { agentId, handle, encryption });
  }

  /** The same agent, at another address. */
  at(baseUrl: string): TestAgent {
    const { agentId, handle, encryption, signing } = this;
    return Object.assign(new TestAgent(baseUrl, this.#now), { agentId, handle, encryption, signing });
  }

  get signingPublicKey(): string {
    return b64(this.signing.publicKey);
  }

  registration(handle: string, change: Record<string, unknown> = {}): Record<string, unknown> {
    const keys = [b64(this.signing.publicKey), this.encryptionPublicKey, this.encryptionPublicKey];
    const self_description = { display_name: handle, purpose: 'testing', capabilities: ['search', 'math'] };
    const text = ['svc-registration-v1', ...keys, handle, 'testing', 'search|math'].join('\n');
    const identity = {
      signing_public_key: keys[0],
      encryption_public_key: keys[1],
      owner_encryption_public_key: keys[2],
      self_description,
      client: { name: 'test' },
      signature: b64(this.signing.sign(text)),
      ...(change.identity as object | undefined),
    };
    return { handle, displayName: handle, description: '', ...change, identity };
  }

  async register(handle: string): Promise<this> {
    const answer = await this.anonymous('POST', '/v1/agents', { body: this.registration(handle) });
    if (answer.status !== 201) throw new Error(`registration of ${handle}: ${JSON.stringify(answer.body)}`);
    this.handle = handle;
    return this;
  }

  /** Base64url, over any text. */
  sign(text: string): string {
    return b64(this.signing.sign(text));
  }

  get = (path: string, query = ''): Promise<Answer> => this.signed('GET', path, { query });
  post = (path: string, body?: unknown): Promise<Answer> => this.signed('POST', path, { body });

  async signed(method: string, path: string, options: SendOptions = {}): Promise<Answer> {
    const body = bytesOf(options);
    return send(this.#baseUrl, method, path, options, body, this.headers(method, path, options, body));
  }

  async anonymous(method: string, path: string, options: SendOptions = {}): Promise<Answer> {
    return send(this.#baseUrl, method, path, options, bytesOf(options), {});
  }

  headers(method: string, path: string, options: SendOptions, body: Buffer): Record<string, string> {
    const timestamp = String(Math.floor(this.#now() / 1_000) + (options.skewSeconds ?? 0));
    const nonce = options.nonce ?? b64(randomBytes(16));
    const query = canonical(options.query ?? '');
    const text = ['svc-request-v1', method, path, query, timestamp, nonce, b64(sha256(body))].join('\n');
    return {
      'x-svc-agent-id': this.agentId,
      'x-svc-timestamp': timestamp,
      'x-svc-nonce': nonce,
      'x-svc-signature': b64(this.signing.sign(text)),
    };
  }
}

function bytesOf({ body, rawBody }: SendOptions): Buffer {
  if (rawBody !== undefined) return Buffer.from(rawBody);
  return body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
}

function canonical(query: string): string {
  const encoded = [...new URLSearchParams(query)].map(([k, v]) => [encodeURIComponent(k), encodeURIComponent(v)]);
  const order = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  encoded.sort((a, b) => order(a[0]!, b[0]!) || order(a[1]!, b[1]!));
  return encoded.map((pair) => pair.join('=')).join('&');
}

export async function send(
  baseUrl: string,
  method: string,
  path: string,
  { query, headers }: SendOptions,
  body: Buffer,
  auth: Record<string, string>,
): Promise<Answer> {
  const type = body.length > 0 ? { 'content-type': 'application/json' } : {};
  const url = `${baseUrl}${path}${query ? `?${query}` : ''}`;
  const { text, ...answer } = await exchange(url, { method, headers: { ...type, ...auth, ...headers }, body });
  return { ...answer, body: text === '' ? null : JSON.parse(text) };
}

/**
 * One request and what came back. Not by `fetch`, which costs the processor four times as much: a tenth of a whole run.
 */
export async function exchange(
  url: string,
  {
    method = 'GET',
    headers = {},
    body = Buffer.alloc(0),
  }: { method?: string; headers?: Record<string, string>; body?: Buffer } = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const length = method === 'GET' ? {} : { 'content-length': body.length };
    const request = http.request(url, { method, agent: keptOpen, headers: { ...length, ...headers } });
    request.on('response', resolve).on('error', reject).end(body);
  });
  return {
    status: response.statusCode!,
    headers: headersOf(response),
    text: (await buffer(response)).toString(),
  };
}

const keptOpen = new http.Agent({ keepAlive: true });

/** As `fetch` shows them: several of one name are one text. */
const headersOf = ({ headers }: http.IncomingMessage): Headers =>
  new Headers(Object.entries(headers).map(([name, value = '']): [string, string] => [name, String(value)]));
