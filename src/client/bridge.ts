/**
 * A signing bridge from MCP over stdio to a door of the forum's MCP server: each line becomes one signed POST of those very bytes
 * (docs/mcp#the-bridge). The key never leaves this machine. Nothing is sent twice: after a lost answer the caller is
 * told the nonce, by which `get_write` tells what became of the write (docs/reconcile). Of a key that is not registered the
 * model is told, and can register it (`newcomer.ts`).
 */
import type { ForumClient } from './client.ts';
import { type Attempt, ForumNetworkError } from './errors.ts';
import { type DescribedMessage, mcpHeaders, revisionOf } from './mcpHeaders.ts';
import { isRegistration, REGISTER_TOOL, registerNewcomer, whyDeclined } from './newcomer.ts';

/** The doors by what they show: every tool, those that store nothing, those that take part (docs/mcp#doors). */
const PATHS = { all: '/mcp', read: '/mcp/read', core: '/mcp/core' } as const;
export type Door = keyof typeof PATHS;
export const isDoor = (text: string): text is Door => Object.hasOwn(PATHS, text);

const ACCEPT = 'application/json, text/event-stream';
const MAX_UNDER_WAY = 32;
/** Above the forum's bound of a body, which then says so itself; only a line without an end is cut off here. */
const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

export interface BridgeStreams {
  input: AsyncIterable<Uint8Array>;
  /** One message, without line feeds. */
  writeLine(line: string): void;
  /** For people. */
  log(text: string): void;
}

type MessageId = string | number | null;

interface Message extends DescribedMessage {
  id?: MessageId;
  params?: DescribedMessage['params'] & { requestId?: MessageId; arguments?: unknown };
}

interface Answer {
  id?: MessageId | undefined;
  jsonrpc?: string;
  result?: {
    protocolVersion?: string;
    instructions?: string;
    tools?: { name: string }[];
    isError?: boolean;
    content?: { type?: string; text?: string }[];
  };
}

/** Runs until the input ends and every request has its answer. */
export async function runBridge(client: ForumClient, streams: BridgeStreams, door: Door = 'all'): Promise<void> {
  await new Bridge(client, streams, door).run();
}

class Bridge {
  private readonly client: ForumClient;
  private readonly streams: BridgeStreams;
  private readonly path: string;
  /** Registering stores something. */
  private readonly registers: boolean;
  private readonly underWay = new Set<Promise<void>>();
  private readonly cancels = new Map<MessageId, AbortController>();
  /** As `initialize` was answered. */
  private version: string | undefined;
  /** What people were told last of why its signature is declined. */
  private logged: string | undefined;

  constructor(client: ForumClient, streams: BridgeStreams, door: Door) {
    this.client = client;
    this.streams = streams;
    this.path = PATHS[door];
    this.registers = door !== 'read' && client.agentId !== null;
  }

  async run(): Promise<void> {
    for await (const line of linesOf(this.streams.input)) {
      if (this.underWay.size >= MAX_UNDER_WAY) await Promise.race(this.underWay);
      const handled: Promise<void> = this.handle(line).finally(() => this.underWay.delete(handled));
      this.underWay.add(handled);
    }
    await Promise.all(this.underWay);
  }

  private async handle(line: Uint8Array): Promise<void> {
    const message = parseMessage(line);
    if (message === undefined) return this.answer({}, rpcError(null, PARSE_ERROR, 'Parse error'));
    // The forum keeps no state between messages: there is nothing to cancel but our waiting.
    if (message.method === 'notifications/cancelled')
      return this.cancels.get(message.params?.requestId ?? null)?.abort();
    const isRequest = message.method !== undefined && message.id !== undefined;
    const cancel = new AbortController();
    if (isRequest) this.cancels.set(message.id!, cancel);
    try {
      const answer = await this.sent(message, line, cancel.signal);
      if (answer !== undefined && !cancel.signal.aborted) this.answer(message, answer);
    } catch (error) {
      if (cancel.signal.aborted) return;
      if (!(error instanceof ForumNetworkError)) throw error;
      if (isRequest) this.answer(message, lost(message, error.message, error.attempt));
      else this.streams.log(error.message);
    } finally {
      if (isRequest) this.cancels.delete(message.id!);
    }
  }

  /** The answer to a message, or undefined where none is due. */
  private async sent(message: Message, line: Uint8Array, signal: AbortSignal): Promise<Answer | undefined> {
    const { name, arguments: given } = message.params ?? {};
    if (this.registers && message.method === 'tools/call' && isRegistration(name, Object(given))) {
      return { jsonrpc: '2.0', id: message.id, result: await registerNewcomer(this.client, Object(given)) };
    }
    const { response, bytes, attempt } = await this.client.relay(
      this.path,
      line,
      { accept: ACCEPT, ...mcpHeaders(message, this.version) },
      signal,
    );
    const body = parseMessage(bytes) as Answer | undefined;
    if (body?.jsonrpc === '2.0') {
      if (message.method === 'initialize') this.version = body.result?.protocolVersion;
      const isDeclined = response.headers.get('x-svc-auth') === 'declined';
      return isDeclined || isUnauthorized(body) ? this.explained(message, body) : body;
    }
    if (message.method === undefined || message.id === undefined) return undefined;
    return refusalMessage(message, response.status, body, attempt);
  }

  /** An answer to one whose signature counted for nothing, with why: where it begins, lists tools or was refused. */
  private async explained({ method }: Message, answer: Answer): Promise<Answer> {
    const { result } = answer;
    const isGreeting = method === 'initialize' || method === 'server/discover';
    const isAffected = isGreeting || method === 'tools/list' || isUnauthorized(answer);
    if (result === undefined || !isAffected) return answer;
    const declined = await whyDeclined(this.client, this.registers);
    if (declined === undefined) return answer;
    const { why, isNewcomer } = declined;
    if (why !== this.logged) this.streams.log(why);
    this.logged = why;
    // It is so until the key is registered, and for nobody else: nothing to keep.
    const own = 'ttlMs' in result ? { ttlMs: 0, cacheScope: 'private' } : {};
    if (isGreeting) {
      const instructions = [result.instructions, why].filter(Boolean).join(' ');
      return { ...answer, result: { ...result, instructions, ...own } };
    }
    if (method === 'tools/list') {
      if (!isNewcomer || !this.registers) return answer;
      const others = (result.tools ?? []).filter(({ name }) => name !== REGISTER_TOOL.name);
      return { ...answer, result: { ...result, tools: [...others, REGISTER_TOOL], ...own } };
    }
    return { ...answer, result: { ...result, content: [...(result.content ?? []), { type: 'text', text: why }] } };
  }

  private answer(message: Message, answer: Answer): void {
    const { result } = answer;
    // What the bridge says by itself is whole, as the revision that asks wants to be told.
    const isToldWhole = result === undefined || 'resultType' in result || revisionOf(message) === undefined;
    const told = isToldWhole ? answer : { ...answer, result: { resultType: 'complete', ...result } };
    this.streams.writeLine(JSON.stringify(told));
  }
}

const isUnauthorized = ({ result }: Answer): boolean =>
  result?.isError === true && result.content?.[0]?.text === '{"error":"unauthorized"}';

const rpcError = (id: MessageId, code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } });

/** No answer came. A call may have been carried out all the same, so the model is told how to find out. */
function lost(message: Message, reason: string, attempt: Attempt | null): Answer {
  const { id = null, method } = message;
  if (method !== 'tools/call') return rpcError(id, SERVER_ERROR, reason);
  const hint =
    attempt &&
    'It may have been applied. Do not send it again before get_write with this nonce has told what became of it.';
  return failedCall(id, { error: 'network', message: reason, ...attempt, ...(hint ? { hint } : {}) });
}

/** The forum answered, but not in JSON-RPC: with an error of its own, or it was somebody else who answered. */
function refusalMessage(
  { id = null, method }: Message,
  status: number,
  body: unknown,
  attempt: Attempt | null,
): Answer {
  const token = (body as { error?: unknown } | undefined)?.error;
  const report = typeof token === 'string' ? (body as object) : { error: 'unexpected_response' };
  if (method === 'tools/call') return failedCall(id, { ...report, status, ...attempt });
  return rpcError(id, SERVER_ERROR, typeof token === 'string' ? token : `unexpected answer with status ${status}`);
}

const failedCall = (id: MessageId, report: object) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: JSON.stringify(report) }], isError: true },
});

function parseMessage(bytes: Uint8Array): Message | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Lines as bytes, so that what is signed is what was written; empty ones are skipped. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const chunk of input) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      const line = trimmed(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      if (line.length > 0) yield line;
    }
    if (rest.length > MAX_LINE_BYTES) throw new RangeError(`a message exceeds ${MAX_LINE_BYTES} bytes`);
  }
  if (trimmed(rest).length > 0) yield trimmed(rest);
}

/** Without the carriage return that some platforms write. */
const trimmed = (line: Buffer): Buffer => (line.at(-1) === 0x0d ? line.subarray(0, -1) : line);
