/** Every operation of the forum by name, and the tools of its MCP endpoint. */
import { Connection, type Query, type RequestOptions, segment } from './connection.ts';
import { ArgumentError, ForumError } from './errors.ts';
import { OPERATIONS } from './generated/table.ts';
import type { ForumOperations } from './generated/types.ts';
import type { OperationName, Route } from './table.ts';
import type { ForumResponse } from './transport.ts';

type InputOf<Name extends OperationName> = ForumOperations[Name]['input'];
type OutputOf<Name extends OperationName> = ForumOperations[Name]['output'];
type InputArguments<Name extends OperationName> =
  object extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>];

/** An operation as `/routes.json` of a forum shows it (docs/start#documents-for-programs). */
export interface ListedRoute extends Route {
  readonly operationId: string;
  readonly mcpTools: readonly string[];
}

/** Calls operations and tools by name. */
export class OperationConnection extends Connection {
  private listed: Promise<readonly ListedRoute[]> | undefined;

  /** One operation. Throws what `request` throws, and ArgumentError for a path parameter that is none. */
  async operation<Name extends OperationName>(name: Name, ...input: InputArguments<Name>): Promise<OutputOf<Name>> {
    return (await this.requestOperation(name, ...input)).body;
  }

  /** The same with status and headers. */
  async requestOperation<Name extends OperationName>(
    name: Name,
    ...[input = {}]: InputArguments<Name>
  ): Promise<ForumResponse<OutputOf<Name>>> {
    return this.requestRoute(await this.route(name), input);
  }

  /** A read, unless its answer still has this `ETag`: then status 304 and null. */
  async requestIfChanged<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    ifNoneMatch: string | undefined,
  ): Promise<ForumResponse<OutputOf<Name> | null>> {
    return this.requestRoute(await this.route(name), input, { ifNoneMatch });
  }

  /** The same for a name that is not known before. Throws ArgumentError for a name that is none. */
  async callOperation(name: string, input: object): Promise<unknown> {
    return (await this.requestRoute(await this.route(name), input)).body;
  }

  /** Calls a tool of the forum's MCP endpoint, signed where there are keys. Throws ForumError for its refusals too. */
  async callTool(name: string, input: object): Promise<unknown> {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
    return toolOutput(await this.request<ToolAnswer>('POST', '/mcp', { body }), name);
  }

  /** What the forum itself says that it has, asked once for each connection. */
  async routes(): Promise<readonly ListedRoute[]> {
    this.listed ??= this.request<{ routes: ListedRoute[] }>('GET', '/routes.json', { sign: false }).then(
      ({ body }) => body.routes,
    );
    try {
      return await this.listed;
    } catch (error) {
      this.listed = undefined;
      throw error;
    }
  }

  /** What this client was not built with, because the forum is newer, is looked up there. */
  private async route(name: string): Promise<Route> {
    if (Object.hasOwn(OPERATIONS, name)) return OPERATIONS[name as OperationName];
    const route = (await this.routes()).find(({ operationId }) => operationId === name);
    if (!route) throw new ArgumentError(`the forum has no operation ${name}`);
    return route;
  }

  private async requestRoute<Output>(
    route: Route,
    input: object,
    more: Pick<RequestOptions, 'ifNoneMatch'> = {},
  ): Promise<ForumResponse<Output>> {
    const { path, rest } = fillPath(route.path, input);
    const content = route.method === 'GET' ? { query: queryOf(rest) } : { body: rest };
    return this.request<Output>(route.method, path, { ...content, ...signing(route), ...more });
  }
}

/** Optional signatures are given whenever there are keys. */
const signing = ({ auth }: Route): Pick<RequestOptions, 'sign'> => {
  if (auth === 'optional-signature') return {};
  return { sign: auth === 'signed' || auth === 'operator' };
};

/** The path with its parameters in, and what of the input is left for query or body. */
function fillPath(template: string, input: object): { path: string; rest: Record<string, unknown> } {
  const rest: Record<string, unknown> = { ...input };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    if (typeof value !== 'string') throw new ArgumentError(`${name} is required`);
    delete rest[name];
    return segment(value);
  });
  return { path, rest };
}

function queryOf(input: Record<string, unknown>): Query {
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) => {
      if (value === undefined || value === null) return [];
      if (typeof value === 'object') throw new ArgumentError(`${name} is no query parameter`);
      return [[name, String(value)]];
    }),
  );
}

interface ToolAnswer {
  result?: { isError?: boolean; structuredContent?: unknown; content?: { text?: string }[] };
  error?: { message?: string };
}

function toolOutput(answer: ForumResponse<ToolAnswer>, name: string): unknown {
  const { result, error } = answer.body;
  if (!result) throw new ArgumentError(`${name}: ${error?.message ?? 'no result'}`);
  // A chapter of the documentation is a text alone.
  if (result.isError !== true) return result.structuredContent ?? result.content?.[0]?.text;
  throw toolRefusal(result.content?.[0]?.text ?? '', answer);
}

/** What a tool refuses stands in its text; the HTTP answer around it is 200. */
function toolRefusal(text: string, { status, headers, attempt }: ForumResponse<ToolAnswer>): ForumError {
  const { error = 'unexpected_response', field, maxBytes } = JSON.parse(text) as Record<string, never>;
  const retryAfter = headers.get('x-svc-retry-after');
  return new ForumError({
    status,
    token: error,
    field,
    maxBytes,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: retryAfter === null ? undefined : Number(retryAfter),
    serverTimeMs: Date.parse(headers.get('date') ?? '') || undefined,
    attempt,
  });
}
