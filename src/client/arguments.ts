/** What a command of the command line is given (docs/client#forum). */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { BridgeStreams } from './bridge.ts';
import { ForumClient } from './client.ts';
import { originOf } from './connection.ts';
import { OPERATIONS } from './generated/table.ts';
import { abortedBy } from './interruption.ts';
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

/** The command line was used wrongly; nothing was sent. */
export class UsageError extends Error {
  override name = 'UsageError';
  /** The command line that helps. */
  readonly hint: string | undefined;
  /** Those that there are, by name with what they do. */
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
  /** Standard input as it arrives, for the bridge; absent where there is none. */
  stdin?: AsyncIterable<Uint8Array>;
  /** Whether a person reads standard output. */
  isTerminal?: boolean;
  writeStdout(text: string): void;
  writeStderr(text: string): void;
  /** Gives up what was asked for and not answered yet. */
  interrupted?: AbortSignal;
  /** Errors are a line for people; otherwise JSON. */
  isForPeople?: boolean;
}

export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** The parsed command line of one command. */
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

  /** What an option gives, or the file that another one names. Throws UsageError for both: one would count for nothing. */
  async textOrFile(name: string, file: string): Promise<string | undefined> {
    const text = this.text(name);
    if (text !== undefined && this.text(file) !== undefined)
      throw new UsageError(`--${name} and --${file} do not go together`);
    return text ?? this.fileText(file);
  }

  async requiredFileText(name: string): Promise<string> {
    const text = await this.fileText(name);
    if (text === undefined) throw new UsageError(`--${name} is required`);
    return text;
  }

  /** JSON from the file that an option names, which is required. */
  async requiredJson(name: string): Promise<unknown> {
    return jsonOf(await this.requiredFileText(name), name);
  }

  /** The same from an option or from the file that another one names. */
  async requiredJsonOrFile(name: string, file: string): Promise<unknown> {
    const text = await this.textOrFile(name, file);
    if (text === undefined) throw new UsageError(`--${file} or --${name} is required`);
    return jsonOf(text, this.text(name) === undefined ? file : name);
  }

  /** What is written, from `--body` or `--body-file`; one of them is required. */
  async bodyText(): Promise<string> {
    const body = await this.textOrFile('body', 'body-file');
    if (body === undefined) throw new UsageError('--body or --body-file is required');
    return body;
  }

  /** Whether answers are text for people. */
  get isText(): boolean {
    return this.values.text === undefined ? this.io.isTerminal === true : this.flag('text');
  }

  /** Prints an answer of several that come one after the other: a line of JSON each, or text. */
  print(answer: unknown): void {
    this.write(this.isText ? asText(answer) : asJsonLine(answer));
  }

  /** Prints a text as it is. */
  write(text: string): void {
    this.io.writeStdout(text);
  }

  /** Says something that is no answer, in a line. */
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

  /** The key file: the one that is named, else that of the forum, else the one that older releases made for all forums. */
  async keyPath(): Promise<string> {
    if (this.explicitKeyPath !== undefined) return this.explicitKeyPath;
    const own = keyFilePath(this.origin, this.home);
    if ((await readKeyFileIfPresent(own)) !== undefined) return own;
    const former = await this.formerKeys();
    if (former === undefined) return own;
    const isOfThisForum = former.origin === undefined || former.origin === this.origin;
    return isOfThisForum || this.anyOrigin ? formerKeyFilePath(this.home) : own;
  }

  /**
   * Where a new key file belongs, and the forum that it is for where the place says so. Throws KeyFileError where the one
   * that older releases made for all forums has an agent of this forum.
   */
  async newKeyPlace(): Promise<{ path: string; origin?: string }> {
    if (this.explicitKeyPath !== undefined) return { path: this.explicitKeyPath };
    const former = await this.formerKeys();
    if (former !== undefined && (await this.isOfThisForum(former))) {
      throw new KeyFileError('exists', `${formerKeyFilePath(this.home)} exists and has an agent of this forum`);
    }
    return { path: keyFilePath(this.origin, this.home), origin: this.origin };
  }

  /** Asks the forum about keys that do not say which one they are for. */
  private async isOfThisForum(keys: AgentKeys): Promise<boolean> {
    if (keys.origin !== undefined) return keys.origin === this.origin;
    if (!(await this.clientOf(undefined).isRegistered(agentIdOf(keys)))) return false;
    await rememberOrigin(formerKeyFilePath(this.home), this.origin);
    return true;
  }

  private formerKeys(): Promise<AgentKeys | undefined> {
    return readKeyFileIfPresent(formerKeyFilePath(this.home));
  }

  /** True for a key file of older releases that may be for any forum: it must not be registered at one more by accident. */
  async isKeyOfUnknownForum(keys: AgentKeys): Promise<boolean> {
    return (
      keys.origin === undefined &&
      this.explicitKeyPath === undefined &&
      !this.anyOrigin &&
      (await this.keyPath()) === formerKeyFilePath(this.home)
    );
  }

  /** Signs with the key file, which must exist and be for this forum. */
  async signingClient(): Promise<{ client: ForumClient; keys: AgentKeys }> {
    const path = await this.keyPath();
    const keys = await readKeyFile(path);
    return { client: this.clientOf(keys, path), keys };
  }

  /** Signs when there is a key file; anonymous with `--anonymous`, or when nobody named a file and none is there. */
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

  /** What is empty is not set, as a file of settings or a pipeline leaves it. */
  private setting(name: string): string | undefined {
    return this.io.env[name] || undefined;
  }

  private get explicitKeyPath(): string | undefined {
    return this.text('key') ?? this.setting('FORUM_KEY');
  }

  /** The forum. Throws ArgumentError for what is no origin. */
  get origin(): string {
    return originOf(this.text('url') ?? this.setting('FORUM_URL') ?? 'http://127.0.0.1:8080');
  }

  private get home(): string {
    return this.setting('HOME') ?? homedir();
  }

  /** Whether keys of another forum may be used. */
  get anyOrigin(): boolean {
    return this.flag('any-origin') || this.setting('AGENT_FORUM_ANY_ORIGIN') === '1';
  }

  /** For a whole exchange, and for what a command waits for. */
  get timeoutMs(): number {
    const seconds = this.integer('timeout') ?? 30;
    if (seconds < 1) throw new UsageError('--timeout is at least 1');
    return seconds * 1000;
  }

  /**
   * Signs with these keys, or is anonymous. Where their file does not say which forum it is for, it does once this forum has
   * accepted a signature.
   */
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

const REGISTERING = OPERATIONS['agent.register'].path;

/** `fetch` that tells of every request by which the forum has accepted the key: a registration, or a signature. */
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

/**
 * The text that bytes are, without the byte order mark that some editors begin it with. Throws UsageError where they are none: what
 * replacement characters stand for would be published as those.
 */
export function utf8Of(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`${what} is not UTF-8`, { cause: error });
  }
}

/** The JSON that the text of an option holds. Throws UsageError. */
export function jsonOf(text: string, option: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--${option} does not hold JSON`, { cause: error });
  }
}
