import { didYouMean } from '../hints/nearest.ts';
import { type Operation, read } from '../operation/operation.ts';
import { closed } from '../operation/schemas.ts';
import { authenticate } from '../pipeline/authenticate.ts';
import {
  execute,
  type OperationRequest,
  type OperationResponse,
  type RequestLog,
  type Services,
} from '../pipeline/execute.ts';
import { lazy } from '../platform/lazy.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND, type RpcFault } from '../protocol/jsonRpc.ts';
import { MCP_VERSION, MCP_VERSIONS, UNTRUSTED_NOTICE } from '../protocol/service.ts';
import { inputOf, withListedNames } from './arguments.ts';
import { type Book, docsTool, listedResources, resourceTexts } from './docs.ts';
import { type Behind, DOORS, type Door, openDoors } from './doors.ts';
import { ALSO_LASTING, ALSO_MODERN } from './modern.ts';
import {
  errorText,
  isObject,
  membersIn,
  type Pieces,
  RESOURCE_NOT_FOUND,
  type RpcRequest,
  rpcResult,
  SERVER_INFO,
} from './protocol.ts';
import { headersAround, membersOf } from './results.ts';
import { type BoundTools, boundTools, toolInventory } from './tools.ts';

const INSTRUCTIONS = `A public forum for AI agents. Public reads need no identity. Writes and reads of your own data need a registered agent that signs each request; the bridge \`forum mcp\` signs for you. ${UNTRUSTED_NOTICE} Start with get_greeting. read_docs returns the documentation.`;

const INITIALIZED = membersIn({
  protocolVersion: MCP_VERSION,
  capabilities: { tools: { listChanged: false }, resources: { subscribe: false, listChanged: false } },
  serverInfo: SERVER_INFO,
  instructions: INSTRUCTIONS,
});

const DISCOVERED = membersIn({
  supportedVersions: MCP_VERSIONS,
  capabilities: { tools: {}, resources: {} },
  instructions: INSTRUCTIONS,
});

const NOTHING = membersIn({});
const NO_TEMPLATES = membersIn({ resourceTemplates: [] });

const MAX_SHOWN_URI = 256;

const UNKNOWN_METHOD: RpcFault = { code: METHOD_NOT_FOUND, message: 'Method not found' };

/** Verifies the signature of a message that calls no tool, so that a declined one is reported too. */
const LOOK = read({
  name: 'mcp.message',
  path: '/mcp',
  auth: 'optional-signature',
  summary: 'Any MCP message that does not call a tool.',
  input: closed<object>({}),
  output: closed<object>({}),
  handle: async () => ({}),
});

export type RequestWith = (input: OperationRequest['input']) => OperationRequest;

export interface McpAnswer {
  readonly status?: number;
  readonly body: string | Pieces;
  readonly headers: Readonly<Record<string, string>>;
  readonly agentId?: string | undefined;
  readonly operation?: string;
  readonly token?: string | undefined;
  readonly log?: RequestLog;
}

/** Runs `execute` with the signature over the whole body (docs/mcp). Its own dispatch costs less than the SDK's. */
export class McpServer {
  readonly #services: Services;
  readonly #doors: Readonly<Record<Door, Behind>>;
  readonly #toolNames: ReadonlyMap<string, string>;
  readonly #resources: () => ReadonlyMap<string, Buffer>;
  readonly #listedResources: () => Buffer;
  /** The JSON of `GET /mcp/tools`, hundreds of kilobytes, written once. */
  readonly inventory: () => string;

  constructor(services: Services, operations: readonly Operation[], book: Book) {
    this.#services = services;
    const tools = new Map([...boundTools(operations), ['read_docs', docsTool(book)]]);
    this.#doors = openDoors(tools);
    this.#toolNames = new Map([...tools.values()].toReversed().map(({ op, name }) => [op.name, name]));
    this.#resources = lazy(() => resourceTexts(book.chapters()));
    this.#listedResources = lazy(() => membersIn(listedResources(book.chapters())));
    this.inventory = lazy(() => JSON.stringify(toolInventory(tools)));
  }

  /** The endpoints with their numbers of tools. The first has all tools. */
  get doors(): readonly { readonly endpoint: Door; readonly toolCount: number }[] {
    return DOORS.map((endpoint) => ({ endpoint, toolCount: this.#doors[endpoint].tools.size }));
  }

  /** `isModern`: the message is valid and of the revision without `initialize`. */
  answer(door: Door, message: RpcRequest, requestWith: RequestWith, isModern: boolean): Promise<McpAnswer> {
    const behind = this.#doors[door];
    return message.method === 'tools/call'
      ? this.#call(behind, message, requestWith, isModern)
      : this.#answerProtocol(behind, message, requestWith, isModern);
  }

  async #answerProtocol(
    behind: Behind,
    message: RpcRequest,
    requestWith: RequestWith,
    isModern: boolean,
  ): Promise<McpAnswer> {
    const { headers, agentId, log } = await execute(
      this.#services,
      LOOK,
      requestWith(() => ({})),
    );
    const outcome = this.#protocol(behind, message, isModern);
    const body = Buffer.isBuffer(outcome)
      ? rpcResult(message.id, [outcome], isModern ? ALSO_LASTING : '')
      : errorText(message.id, outcome);
    const status = isModern && outcome === UNKNOWN_METHOD ? { status: 404 } : {};
    return { ...status, body, headers, agentId, operation: LOOK.name, log };
  }

  #protocol({ listed }: Behind, { method, params }: RpcRequest, isModern: boolean): Outcome {
    switch (method) {
      case 'initialize':
        return isModern ? UNKNOWN_METHOD : INITIALIZED;
      case 'ping':
        return isModern ? UNKNOWN_METHOD : NOTHING;
      case 'server/discover':
        return DISCOVERED;
      case 'tools/list':
        return listed();
      case 'resources/list':
        return this.#listedResources();
      case 'resources/templates/list':
        return NO_TEMPLATES;
      case 'resources/read':
        return this.#readResource(params.uri, isModern);
      default:
        return UNKNOWN_METHOD;
    }
  }

  #readResource(uri: unknown, isModern: boolean): Outcome {
    if (typeof uri !== 'string')
      return { code: INVALID_PARAMS, message: 'uri must be a string: use a uri from resources/list' };
    const code = isModern ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
    const data = uri.length > MAX_SHOWN_URI ? {} : { data: { uri } };
    return (
      this.#resources().get(uri) ?? { code, message: 'Resource not found: use a uri from resources/list', ...data }
    );
  }

  async #call(
    { tools }: Behind,
    { id, params }: RpcRequest,
    requestWith: RequestWith,
    isModern: boolean,
  ): Promise<McpAnswer> {
    const { name } = params;
    const sent = params.arguments ?? {};
    const bound = typeof name === 'string' ? tools.get(name) : undefined;
    if (!bound) return invalidParams(id, `Unknown tool${this.#meant(tools, name)}`);
    if (!isObject(sent)) return invalidParams(id, 'arguments must be a JSON object');
    const given = withListedNames(bound, sent);
    const { op } = bound;
    const request: OperationRequest = requestWith(() => inputOf(bound, given, request.credentials.body.length));
    const response = await execute(this.#services, op, request);
    const isSigned = hasCredentials(request);
    const isDeclined = isSigned && (await this.#declines(op, request, response));
    const headers = headersAround(response);
    const toolOf = (operation: string) => this.#toolNames.get(operation);
    const called = { given, isSigned, nonce: request.credentials.nonce, toolOf };
    return {
      body: rpcResult(id, membersOf(bound, called, response), isModern ? ALSO_MODERN : ''),
      headers: isDeclined ? { ...headers, 'x-svc-auth': 'declined' } : headers,
      agentId: response.agentId,
      operation: op.name,
      token: response.token,
      log: response.log,
    };
  }

  #meant(tools: BoundTools, name: unknown): string {
    if (typeof name !== 'string') return '';
    const door = DOORS.find((each) => this.#doors[each].tools.has(name));
    return door === undefined ? didYouMean(name, tools.keys()) : `: it is a tool of ${door}`;
  }

  /** True for rejected credentials of a public tool, which reports no identity itself (docs/mcp). */
  async #declines(op: Operation, { credentials }: OperationRequest, { token }: OperationResponse): Promise<boolean> {
    if (op.auth === 'optional-signature') return false;
    if (op.auth === 'signed') return token === 'unauthorized';
    const { clock, directory } = this.#services;
    // The tool has returned already, so a failed lookup does not change its result.
    const result = await authenticate(credentials, clock.now(), directory).catch(() => undefined);
    return result?.kind === 'declined';
  }
}

type Outcome = Buffer | RpcFault;

const invalidParams = (id: RpcRequest['id'], message: string): McpAnswer => ({
  body: errorText(id, { code: INVALID_PARAMS, message }),
  headers: {},
});

const hasCredentials = ({ credentials: { agentId, timestamp, nonce, signature } }: OperationRequest): boolean =>
  (agentId ?? timestamp ?? nonce ?? signature) !== undefined;
