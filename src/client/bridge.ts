/** A signing bridge from MCP over stdio to the forum's MCP server (docs/mcp#the-bridge). Each line is one signed POST
 * of the same bytes, never repeated. After a lost answer the model gets the nonce for `get_write`. */

import { parseAnswer } from '../platform/codec/ijson.ts';
import { PARSE_ERROR, rpcError } from '../protocol/jsonRpc.ts';
import {
  type Answer,
  cancelled,
  isAnswer,
  isUnauthorized,
  lost,
  type Message,
  type MessageId,
  mcpHeaders,
  parseMessage,
  refusalMessage,
  revisionOf,
  tooLong,
} from './bridgeMessages.ts';
import type { ForumClient } from './client.ts';
import { ForumNetworkError } from './errors.ts';
import type { AgentKeys } from './keys.ts';
import { LongLine, linesOf } from './lines.ts';
import { isRegistration, REGISTER_TOOL, REGISTRATION_LOST, registerNewcomer, whyDeclined } from './newcomer.ts';

/** An MCP endpoint of the forum (docs/mcp): all tools, only those that read, or the most common ones. */
export type Door = 'all' | 'read' | 'core';
const PATHS: Readonly<Record<Door, string>> = { all: '/mcp', read: '/mcp/read', core: '/mcp/core' };
export const isDoor = (text: string): text is Door => Object.hasOwn(PATHS, text);

const ACCEPT = 'application/json, text/event-stream';
const MAX_UNDER_WAY = 32;

/** The streams of `runBridge`. */
export interface BridgeStreams {
  /** The messages of the MCP client, one a line. */
  input: AsyncIterable<Uint8Array>;
  /** Writes one message to the MCP client. */
  writeLine(line: string): void;
  /** Writes one line for people. */
  log(text: string): void;
}

/** The options of `runBridge`. */
export interface BridgeOptions {
  /** The reason why the bridge has no keys. The model gets it. */
  whyUnsigned?: string;
  /** False hides the tool that registers the agent; the default is true. */
  mayRegister?: boolean;
}

/**
 * Runs the MCP bridge of `forum mcp` until the input ends (docs/mcp#the-bridge).
 *
 * @param client - The client that signs.
 * @param streams - The streams to the MCP client.
 * @param endpoint - The endpoint: `all`, `core` or `read`.
 * @param nextKeys - Finds or makes the keys that a newly registered agent commits to.
 * @param options - Whether the bridge may register the agent.
 */
export async function runBridge(
  client: ForumClient,
  streams: BridgeStreams,
  endpoint: Door = 'all',
  nextKeys?: () => Promise<AgentKeys>,
  options: BridgeOptions = {},
): Promise<void> {
  await new Bridge(client, streams, endpoint, nextKeys, options).run();
}

class Bridge {
  private readonly client: ForumClient;
  private readonly streams: BridgeStreams;
  private readonly path: string;
  private readonly nextKeys: (() => Promise<AgentKeys>) | undefined;
  private readonly registers: boolean;
  private readonly whyUnsigned: string | undefined;
  private readonly underWay = new Set<Promise<void>>();
  private readonly cancels = new Map<MessageId, AbortController>();
  /** The revision that `initialize` agreed on. */
  private version: string | undefined;
  private logged: string | undefined;

  constructor(
    client: ForumClient,
    streams: BridgeStreams,
    door: Door,
    nextKeys: (() => Promise<AgentKeys>) | undefined,
    { whyUnsigned, mayRegister = true }: BridgeOptions,
  ) {
    this.client = client;
    this.streams = streams;
    this.path = PATHS[door];
    this.nextKeys = nextKeys;
    this.registers = mayRegister && door !== 'read' && client.agentId !== null;
    this.whyUnsigned = whyUnsigned;
  }

  async run(): Promise<void> {
    for await (const line of linesOf(this.streams.input)) {
      if (this.underWay.size >= MAX_UNDER_WAY) await Promise.race(this.underWay);
      const handled: Promise<void> = this.handle(line).finally(() => this.underWay.delete(handled));
      this.underWay.add(handled);
    }
    await Promise.all(this.underWay);
  }

  private async handle(line: Uint8Array | LongLine): Promise<void> {
    if (line instanceof LongLine) return this.answer({}, tooLong(line));
    const message = parseMessage(line);
    if (message === undefined) return this.answer({}, rpcError(null, { code: PARSE_ERROR, message: 'Parse error' }));
    // The forum keeps no state between messages, so cancelling only ends our waiting.
    if (message.method === 'notifications/cancelled')
      return this.cancels.get(message.params?.requestId ?? null)?.abort();
    const isRequest = message.method !== undefined && message.id !== undefined;
    const cancel = new AbortController();
    if (isRequest) this.cancels.set(message.id!, cancel);
    try {
      const answer = await this.sent(message, line, cancel.signal);
      if (answer !== undefined && !cancel.signal.aborted) this.answer(message, answer);
    } catch (error) {
      if (!(error instanceof ForumNetworkError)) throw error;
      if (cancel.signal.aborted) {
        // A cancelled call gets no answer. People learn the nonce of what may be stored.
        if (message.method === 'tools/call' && error.attempt) this.streams.log(cancelled(error.attempt));
        return;
      }
      if (isRequest)
        this.answer(message, lost(message, error, this.registersBy(message) ? REGISTRATION_LOST : undefined));
      else this.streams.log(error.message);
    } finally {
      if (isRequest) this.cancels.delete(message.id!);
    }
  }

  private async sent(message: Message, line: Uint8Array, signal: AbortSignal): Promise<Answer | undefined> {
    if (this.registersBy(message)) {
      const result = await registerNewcomer(this.client, Object(message.params?.arguments), this.nextKeys);
      return { jsonrpc: '2.0', id: message.id, result };
    }
    const { response, bytes, attempt } = await this.client.relay(
      this.path,
      line,
      { accept: ACCEPT, ...mcpHeaders(message, this.version) },
      signal,
    );
    const parsed = parseAnswer(bytes);
    const body = parsed.ok ? parsed.value : undefined;
    if (isAnswer(body)) {
      if (message.method === 'initialize') this.version = body.result?.protocolVersion;
      const isUnsigned = response.headers.get('x-svc-auth') === 'declined' || this.whyUnsigned !== undefined;
      return isUnsigned || isUnauthorized(body) ? this.explained(message, body) : body;
    }
    if (message.method === undefined || message.id === undefined) return undefined;
    return refusalMessage(message, response, body, attempt);
  }

  private registersBy({ method, params }: Message): boolean {
    return this.registers && method === 'tools/call' && isRegistration(params?.name, Object(params?.arguments));
  }

  /** Adds the reason for a declined signature to greetings, lists of tools and refusals. */
  private async explained({ method }: Message, answer: Answer): Promise<Answer> {
    const { result } = answer;
    const isGreeting = method === 'initialize' || method === 'server/discover';
    const isAffected = isGreeting || method === 'tools/list' || isUnauthorized(answer);
    if (result === undefined || !isAffected) return answer;
    const declined = this.whyUnsigned
      ? { why: this.whyUnsigned, isNewcomer: false }
      : await whyDeclined(this.client, this.registers);
    if (declined === undefined) return answer;
    const { why, isNewcomer } = declined;
    if (why !== this.logged) this.streams.log(why);
    this.logged = why;
    // The reason ends with the registration, so nobody may cache this result.
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
    // Revision 2026-07-28 wants `resultType` in results that the bridge makes itself.
    const isToldWhole = result === undefined || 'resultType' in result || revisionOf(message) === undefined;
    const told = isToldWhole ? answer : { ...answer, result: { resultType: 'complete', ...result } };
    this.streams.writeLine(JSON.stringify(told));
  }
}
