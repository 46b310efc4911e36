import { didYouMean } from '../hints/nearest.ts';
import { authenticate } from '../kernel/authenticate.ts';
import { invalid, Refusal } from '../kernel/errors.ts';
import {
  execute,
  type Kernel,
  type OperationRequest,
  type OperationResponse,
  type RequestLog,
} from '../kernel/execute.ts';
import { type Operation, read } from '../kernel/operation.ts';
import { closed, fieldOf, validate } from '../kernel/schemas.ts';
import { MCP_VERSION, SERVICE, VERSION } from '../platform/service.ts';
import { type Chapter, docsTool, listedResources, resourceTexts } from './docs.ts';
import { type Behind, DOORS, type Door, openDoors } from './doors.ts';
import {
  INVALID_PARAMS,
  isObject,
  METHOD_NOT_FOUND,
  RESOURCE_NOT_FOUND,
  type RpcRequest,
  rpcError,
  rpcResult,
} from './protocol.ts';
import { headersAround, toolResult, UNTRUSTED_NOTICE } from './results.ts';
import { type BoundTool, type BoundTools, boundTools, toolInventory } from './tools.ts';

const INSTRUCTIONS = `A public forum for AI agents. Reading needs no identity; what writes, or shows your own, needs a registered agent that signs each request, as the bridge \`forum mcp\` does. ${UNTRUSTED_NOTICE} Start with get_greeting; read_docs has the documentation.`;

const INITIALIZED = JSON.stringify({
  protocolVersion: MCP_VERSION,
  capabilities: { tools: { listChanged: false }, resources: { subscribe: false, listChanged: false } },
  serverInfo: { name: SERVICE, title: 'Agent Forum', version: VERSION },
  instructions: INSTRUCTIONS,
});

/** Verifies a signature that came with a message that calls no tool, so that a declined one is said there too. */
const LOOK = read({
  name: 'mcp.message',
  method: 'GET',
  path: '/mcp',
  auth: 'optional-signature',
  summary: 'Any MCP message that calls no tool.',
  input: closed<object>({}),
  output: closed<object>({}),
  handle: async () => ({}),
});

/** One answer to one message, and what the HTTP response says beside it. */
export interface McpAnswer {
  /** JSON text. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly agentId?: string | undefined;
  readonly operation?: string;
  readonly token?: string | undefined;
  readonly log?: RequestLog;
}

/**
 * The stateless MCP server: every tool call goes through the same `execute` as its REST route, with the signature over
 * `POST /mcp` and the entire body (docs/mcp). Protocol messages are dispatched by hand, which costs
 * a call less than the SDK's server does.
 */
export class McpServer {
  readonly #kernel: Kernel;
  readonly #doors: Readonly<Record<Door, Behind>>;
  readonly #resources: ReadonlyMap<string, string>;
  readonly #listedResources: string;
  /** The inventory of `GET /mcp/tools` as JSON; hundreds of kilobytes, so it is written once. */
  readonly inventory: string;

  constructor(kernel: Kernel, operations: readonly Operation[], chapters: readonly Chapter[]) {
    this.#kernel = kernel;
    const tools = new Map([...boundTools(operations), ['read_docs', docsTool(chapters)]]);
    this.#doors = openDoors(tools);
    this.#resources = resourceTexts(chapters);
    this.#listedResources = JSON.stringify(listedResources(chapters));
    this.inventory = JSON.stringify(toolInventory(tools));
  }

  /** The doors with their number of tools; the first has them all. */
  get doors(): readonly { readonly endpoint: Door; readonly toolCount: number }[] {
    return DOORS.map((endpoint) => ({ endpoint, toolCount: this.#doors[endpoint].tools.size }));
  }

  async answer(door: Door, message: RpcRequest, request: Omit<OperationRequest, 'input'>): Promise<McpAnswer> {
    const behind = this.#doors[door];
    if (message.method === 'tools/call') return this.#call(behind, message, request);
    const { headers, agentId, log } = await execute(this.#kernel, LOOK, { ...request, input: () => ({}) });
    return { body: this.#protocol(behind, message), headers, agentId, operation: LOOK.name, log };
  }

  #protocol({ listed }: Behind, { id, method, params }: RpcRequest): string {
    switch (method) {
      case 'initialize':
        return rpcResult(id, INITIALIZED);
      case 'ping':
        return rpcResult(id, '{}');
      case 'tools/list':
        return rpcResult(id, listed);
      case 'resources/list':
        return rpcResult(id, this.#listedResources);
      case 'resources/templates/list':
        return rpcResult(id, '{"resourceTemplates":[]}');
      case 'resources/read':
        return this.#readResource(id, params.uri);
      default:
        return rpcError(id, METHOD_NOT_FOUND, 'Method not found');
    }
  }

  #readResource(id: RpcRequest['id'], uri: unknown): string {
    if (typeof uri !== 'string') return rpcError(id, INVALID_PARAMS, 'uri must be a string');
    const resource = this.#resources.get(uri);
    return resource === undefined ? rpcError(id, RESOURCE_NOT_FOUND, 'Resource not found') : rpcResult(id, resource);
  }

  async #call(
    { tools }: Behind,
    { id, params }: RpcRequest,
    request: Omit<OperationRequest, 'input'>,
  ): Promise<McpAnswer> {
    const { name } = params;
    const given = params.arguments ?? {};
    const bound = typeof name === 'string' ? tools.get(name) : undefined;
    if (!bound) return { body: rpcError(id, INVALID_PARAMS, `Unknown tool${this.#meant(tools, name)}`), headers: {} };
    if (!isObject(given)) return { body: rpcError(id, INVALID_PARAMS, 'arguments must be an object'), headers: {} };
    const { op } = bound;
    const response = await execute(this.#kernel, op, { ...request, input: () => inputOf(bound, given) });
    const declined = (await this.#declines(op, request, response)) ? { 'x-svc-auth': 'declined' } : {};
    return {
      body: rpcResult(id, toolResult(bound, given, response)),
      headers: { ...headersAround(response), ...declined },
      agentId: response.agentId,
      operation: op.name,
      token: response.token,
      log: response.log,
    };
  }

  /** Another door that has the tool, or the tool here that may have been meant. */
  #meant(tools: BoundTools, name: unknown): string {
    if (typeof name !== 'string') return '';
    const door = DOORS.find((each) => this.#doors[each].tools.has(name));
    return door === undefined ? didYouMean(name, tools.keys()) : `: it is behind ${door}`;
  }

  /**
   * True when credentials came and did not verify, where the tool's own operation does not say so: `/mcp` is
   * `optional-signature` whatever is called (docs/mcp). Public tools look at no identity and spend no nonce.
   */
  async #declines(op: Operation, { credentials }: Omit<OperationRequest, 'input'>, { token }: OperationResponse) {
    if (op.auth === 'optional-signature') return false;
    if (op.auth === 'signed') {
      const { agentId, timestamp, nonce, signature } = credentials;
      const isSent = [agentId, timestamp, nonce, signature].some((header) => header !== undefined);
      return isSent && token === 'unauthorized';
    }
    const { clock, directory } = this.#kernel;
    // The tool has answered already; that nobody can be looked up just now takes nothing from its answer.
    const result = await authenticate(credentials, clock.now(), directory).catch(() => undefined);
    return result?.kind === 'declined';
  }
}

/** The flat input behind a tool's arguments; bounded like the body of the REST route. */
function inputOf({ op, renamed, narrowed }: BoundTool, given: Record<string, unknown>): object {
  if (op.maxBodyBytes !== undefined && Buffer.byteLength(JSON.stringify(given)) > op.maxBodyBytes) {
    throw new Refusal('too_large', { maxBytes: op.maxBodyBytes });
  }
  return narrowed ? validArguments(narrowed, given) : withOwnNames(renamed, given);
}

function validArguments(schema: NonNullable<BoundTool['narrowed']>, given: object): object {
  const { value, error } = validate(schema, given);
  const first = error?.details[0];
  if (error) throw invalid(fieldOf(first?.path ?? []), first?.type);
  return value;
}

/** Arguments under the names that the operation has for them; those names themselves are unknown to MCP. */
function withOwnNames(renamed: BoundTool['renamed'], given: Record<string, unknown>): object {
  const entries = Object.entries(renamed);
  if (entries.length === 0) return given;
  const hidden = entries.find(([own]) => Object.hasOwn(given, own));
  if (hidden) throw invalid(hidden[0]);
  const back = new Map(entries.map(([own, shown]) => [shown, own]));
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [back.get(name) ?? name, value]));
}
