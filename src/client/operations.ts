/** Every operation of the forum by name, with types that are computed from the service's own table. */
import type { DeclaredOperation } from '../operations.ts';
import { Connection, type Method, type Query, segment } from './connection.ts';
import { ArgumentError, ForumError } from './errors.ts';
import type { ForumResponse } from './transport.ts';

/** Properties that have a default wherever they occur; a test holds this list against the table. */
type Defaulted = 'limit' | 'match' | 'posts';

/** As it is sent: what has a default may be left out, and null stands for what is left out (contract 1). */
type Sent<Input> = OrNull<Omit<Input, Defaulted> & Partial<Pick<Input, Defaulted & keyof Input>>>;
type OrNull<Input> = { [Name in keyof Input]: undefined extends Input[Name] ? Input[Name] | null : Input[Name] };

/** Input (path, query and body properties in one flat object) and output of every operation, by its name. */
export type ForumOperations = {
  readonly [Op in DeclaredOperation as Op['name']]: Op extends {
    readonly types?: { readonly input: infer Input; readonly output: infer Output };
  }
    ? { readonly input: Sent<Input>; readonly output: Output }
    : never;
};

export type OperationName = keyof ForumOperations;
type InputOf<Name extends OperationName> = ForumOperations[Name]['input'];

/** An operation as `/routes.json` shows it (contract 16). */
export interface Route {
  method: Method;
  path: string;
  auth: string;
  operationId: string;
  counter: string | null;
  mcpTools: string[];
}

/** Calls operations and tools by name. Where an operation is, the forum itself says, once for each connection. */
export class OperationConnection extends Connection {
  private known: Promise<readonly Route[]> | undefined;

  /** One operation. Throws what `request` throws, and ArgumentError for a name or a path parameter that is none. */
  async operation<Name extends OperationName>(
    name: Name,
    ...[input = {}]: object extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>]
  ): Promise<ForumOperations[Name]['output']> {
    return (await this.callOperation(name, input)) as ForumOperations[Name]['output'];
  }

  /** The same for a name that is not known before. */
  async callOperation(name: string, input: object): Promise<unknown> {
    const route = (await this.routes()).find(({ operationId }) => operationId === name);
    if (!route) throw new ArgumentError(`the forum has no operation ${name}`);
    const { path, rest } = placed(route.path, input);
    const isRead = route.method === 'GET';
    const isEmpty = Object.keys(rest).length === 0;
    const content = isRead ? { query: queryOf(rest) } : isEmpty ? {} : { body: rest };
    return (await this.request(route.method, path, { ...content, ...signing(route) })).body;
  }

  /** Calls a tool of the forum's MCP endpoint, signed where there are keys. Throws ForumError for its refusals too. */
  async callTool(name: string, input: object): Promise<unknown> {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
    return toolOutput(await this.request<ToolAnswer>('POST', '/mcp', { body }), name);
  }

  async routes(): Promise<readonly Route[]> {
    this.known ??= this.request<{ routes: Route[] }>('GET', '/routes.json', { sign: false }).then(
      ({ body }) => body.routes,
    );
    try {
      return await this.known;
    } catch (error) {
      this.known = undefined;
      throw error;
    }
  }
}

/** Optional signatures are given whenever there are keys. */
const signing = ({ auth }: Route): { sign?: boolean } => {
  if (auth === 'optional-signature') return {};
  return { sign: auth === 'signed' || auth === 'operator' };
};

/** The path with its parameters in, and what of the input is left for query or body. */
function placed(template: string, input: object): { path: string; rest: Record<string, unknown> } {
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
  if (result.isError !== true) return result.structuredContent;
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
