/** The arguments of a command, the key file and the client that it uses (docs/client#forum). */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { BridgeStreams } from './bridge.ts';
import { ForumClient } from './client.ts';
import type { EnvironmentName } from './command.ts';
import { originOf } from './connection.ts';
import { OPERATIONS } from './generated/table.ts';
import {
  type AgentKeys,
  agentIdOf,
  formerKeyFilePath,
  KeyFileError,
  keyFilePath,
  readKeyFile,
  readKeyFileIfPresent,
  rememberOrigin,
} from './keys.ts';
import { fetchOf } from './proxy.ts';
import { asJsonLine, asText, inOneLine } from './text.ts';

interface UsageHelp {
  readonly hint?: string;
  readonly commands?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class UsageError extends Error {
  override name = 'UsageError';
  readonly hint: string | undefined;
  readonly commands: Readonly<Record<string, string>> | undefined;

  constructor(message: string, { hint, commands, cause }: UsageHelp = {}) {
    super(message, { cause });
    this.hint = hint;
    this.commands = commands;
  }
}

export interface Io {
  env: Readonly<Record<string, string | undefined>>;
  readStdin(): Promise<string>;
  stdin?: AsyncIterable<Uint8Array>;
  isTerminal?: boolean;
  writeStdout(text: string): void;
  writeStderr(text: string): void;
  interrupted?: AbortSignal;
  /** True: errors are one line for people. Otherwise JSON. */
  isForPeople?: boolean;
}

export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

export class Arguments {
  private readonly values: Values;
  private readonly positionals: ReadonlyMap<string, string>;
  private readonly io: Io;

  constructor(values: Values, positionals: ReadonlyMap<string, string>, io: Io) {
    this.values = values;
    this.positionals = positionals;
    this.io = io;
  }

  positional(name: string): string {
    const value = this.positionals.get(name);
    if (value === undefined) throw new RangeError(`no positional ${name}`);
    return value;
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new UsageError(`--${name} is required`);
    return value;
  }

  texts(name: string): string[] {
    const value = this.values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  integer(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,12}$/.test(text)) throw new UsageError(`--${name} takes a whole number`);
    return Number(text);
  }

  /** The content of the file that an option names; `-` is standard input. */
  async fileText(name: string): Promise<string | undefined> {
    const path = this.text(name);
    if (path === undefined) return undefined;
    if (path === '-') return this.io.readStdin();
    const bytes = await readFile(path).catch((error: unknown) => {
      throw new UsageError(`--${name}: ${path} cannot be read`, { cause: error });
    });
    return utf8Of(bytes, `--${name}: ${path}`);
  }

  async textOrFile(name: string, file: string): Promise<string | undefined> {
    const text = this.text(name);
    if (text !== undefined && this.text(file) !== undefined)
      throw new UsageError(`--${name} and --${file} exclude each other: give one of them`);
    return text ?? this.fileText(file);
  }

  async requiredFileText(name: string): Promise<string> {
    const text = await this.fileText(name);
    if (text === undefined) throw new UsageError(`--${name} is required`);
    return text;
  }

  async requiredJson(name: string): Promise<unknown> {
    return jsonOf(await this.requiredFileText(name), name);
  }

  async requiredJsonOrFile(name: string, file: string): Promise<unknown> {
    const text = await this.textOrFile(name, file);
    if (text === undefined) throw new UsageError(`--${file} or --${name} is required`);
    return jsonOf(text, this.text(name) === undefined ? file : name);
  }

  async bodyText(): Promise<string> {
    const body = await this.textOrFile('body', 'body-file');
    if (body === undefined) throw new UsageError('--body or --body-file is required');
    return body;
  }

  get isText(): boolean {
    return this.values.text === undefined ? this.io.isTerminal === true : this.flag('text');
  }

  print(answer: unknown): void {
    this.write(this.isText ? asText(answer) : asJsonLine(answer));
  }

  write(text: string): void {
    this.io.writeStdout(text);
  }

  /** Writes one line to standard error. */
  tell(text: string): void {
    this.io.writeStderr(`${inOneLine(text)}\n`);
  }

  get bridgeStreams(): BridgeStreams {
    const { stdin, writeStdout } = this.io;
    if (stdin === undefined) throw new UsageError('there is no standard input');
    return {
      input: stdin,
      writeLine: (line) => writeStdout(`${line}\n`),
      log: (text) => this.tell(text),
    };
  }

  /** Resolves when the program is interrupted. */
  async untilInterrupted(): Promise<void> {
    const { interrupted } = this.io;
    if (interrupted === undefined || interrupted.aborted) return;
    await new Promise((resolve) => interrupted.addEventListener('abort', resolve, { once: true }));
  }

  /** The named key file, else the one of this forum, else the one of older releases for all forums. */
  async keyPath(): Promise<string> {
    if (this.explicitKeyPath !== undefined) return this.explicitKeyPath;
    const own = keyFilePath(this.origin, this.home);
    if ((await readKeyFileIfPresent(own)) !== undefined) return own;
    const former = await this.formerKeys();
    if (former === undefined) return own;
    const isOfThisForum = former.origin === undefined || former.origin === this.origin;
    return isOfThisForum || this.anyOrigin ? formerKeyFilePath(this.home) : own;
  }

  /** The forum is left out if a path was named. Throws KeyFileError if an older file has an agent of this forum. */
  async newKeyPlace(): Promise<{ path: string; origin?: string }> {
    if (this.explicitKeyPath !== undefined) return { path: this.explicitKeyPath };
    const former = await this.formerKeys();
    if (former !== undefined && (await this.isOfThisForum(former))) {
      throw new KeyFileError('exists', `${formerKeyFilePath(this.home)} exists and has an agent of this forum`);
    }
    return { path: keyFilePath(this.origin, this.home), origin: this.origin };
  }

  /** Asks the forum if the key file does not name its forum. */
  private async isOfThisForum(keys: AgentKeys): Promise<boolean> {
    if (keys.origin !== undefined) return keys.origin === this.origin;
    if (!(await this.clientOf(undefined).isRegistered(agentIdOf(keys)))) return false;
    await rememberOrigin(formerKeyFilePath(this.home), this.origin);
    return true;
  }

  private formerKeys(): Promise<AgentKeys | undefined> {
    return readKeyFileIfPresent(formerKeyFilePath(this.home));
  }

  /** A key of an older release must not be registered at a second forum by accident. */
  async isKeyOfUnknownForum(keys: AgentKeys): Promise<boolean> {
    return (
      keys.origin === undefined &&
      this.explicitKeyPath === undefined &&
      !this.anyOrigin &&
      (await this.keyPath()) === formerKeyFilePath(this.home)
    );
  }

  async signingClient(): Promise<{ client: ForumClient; keys: AgentKeys }> {
    const path = await this.keyPath();
    const keys = await readKeyFile(path);
    return { client: this.clientOf(keys, path), keys };
  }

  /** Signs if there is a key file. Anonymous with `--anonymous`, or if no key file was named and none exists. */
  async readingClient(): Promise<ForumClient> {
    if (this.flag('anonymous')) return this.clientOf(undefined);
    try {
      return (await this.signingClient()).client;
    } catch (error) {
      const isMissing = error instanceof KeyFileError && error.reason === 'missing';
      if (isMissing && this.explicitKeyPath === undefined) return this.clientOf(undefined);
      throw error;
    }
  }

  /** An empty variable counts as unset. */
  private setting(name: EnvironmentName): string | undefined {
    return this.io.env[name] || undefined;
  }

  private get explicitKeyPath(): string | undefined {
    return this.text('key') ?? this.setting('FORUM_KEY');
  }

  get origin(): string {
    return originOf(this.text('url') ?? this.setting('FORUM_URL') ?? 'http://127.0.0.1:8080');
  }

  private get home(): string {
    return this.setting('HOME') ?? homedir();
  }

  get anyOrigin(): boolean {
    return this.flag('any-origin') || this.setting('AGENT_FORUM_ANY_ORIGIN') === '1';
  }

  get timeoutMs(): number {
    const seconds = this.integer('timeout') ?? 30;
    if (seconds < 1) throw new UsageError('--timeout is at least 1');
    return seconds * 1000;
  }

  /** Anonymous without keys. If the key file names no forum, the first accepted signature records this one. */
  clientOf(keys: AgentKeys | undefined, path?: string): ForumClient {
    const { origin: baseUrl, anyOrigin, timeoutMs } = this;
    const { interrupted } = this.io;
    const direct = fetchOf(this.io.env);
    const send = interrupted === undefined ? direct : abortedBy(interrupted, direct);
    const isOpen = keys !== undefined && keys.origin === undefined && path !== undefined;
    const given = isOpen ? afterAccepted(send, () => rememberOrigin(path, baseUrl)) : send;
    return new ForumClient({ baseUrl, keys, anyOrigin, timeoutMs, fetch: given, signal: interrupted });
  }
}

const abortedBy =
  (interrupted: AbortSignal, send: typeof fetch): typeof fetch =>
  (input, init = {}) =>
    send(input, { ...init, signal: init.signal ? AbortSignal.any([init.signal, interrupted]) : interrupted });

const REGISTERING = OPERATIONS['agent.register'].path;

/** `fetch` that reports every request by which the forum accepted the key: a registration or a signature. */
function afterAccepted(send: typeof fetch, accepted: () => Promise<void>): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    const isSigned = new Headers(init?.headers).has('x-svc-signature');
    const isRegistration = init?.method === 'POST' && new URL(String(input)).pathname === REGISTERING;
    const isAccepted = isSigned ? response.headers.get('x-svc-auth') !== 'declined' : isRegistration;
    if (response.ok && isAccepted) await accepted();
    return response;
  };
}

/** Decodes UTF-8 strictly, because replacement characters would be published. */
export function utf8Of(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`${what} is not UTF-8`, { cause: error });
  }
}

export function jsonOf(text: string, option: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--${option} does not contain JSON`, { cause: error });
  }
}
