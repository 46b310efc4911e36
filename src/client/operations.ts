/** Every operation of the forum by name, and the tools of its MCP endpoint. */
import { adviceOn } from '../hints/advice.ts';
import { nearest } from '../hints/nearest.ts';
import { withoutNull } from '../hints/schema.ts';
import { parseAnswer } from '../platform/codec/ijson.ts';
import { Connection, isSegment, type Query, type RequestOptions } from './connection.ts';
import { ArgumentError, ForumError, statusOf } from './errors.ts';
import type { ForumOperations } from './generated/types.ts';
import { type InputSchema, knownOperation, type OperationEntry, type OperationName, type Route } from './table.ts';
import { type ForumResponse, refusal, requireObject } from './transport.ts';
import { settled } from './unavailable.ts';

type InputOf<Name extends OperationName> = ForumOperations[Name]['input'];
type OutputOf<Name extends OperationName> = ForumOperations[Name]['output'];
type InputArguments<Name extends OperationName> =
  object extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>];

type KeysOf<T> = T extends unknown ? keyof T : never;
type ListsIn<T> = T extends unknown
  ? { [Key in keyof T]-?: NonNullable<T[Key]> extends readonly unknown[] ? Key : never }[keyof T]
  : never;
type ItemIn<T> = T extends unknown
  ? { [Key in keyof T]-?: NonNullable<T[Key]> extends readonly (infer Item)[] ? Item : never }[keyof T]
  : never;
type IsOne<T, All = T> = [T] extends [never] ? false : T extends unknown ? ([All] extends [T] ? true : false) : never;

/** The name of an operation whose answer is a page with a cursor, such as `post.list`. */
export type PagedOperation = {
  [Name in OperationName]: Extract<KeysOf<OutputOf<Name>>, `next${string}Cursor`> extends never ? never : Name;
}[OperationName];

/** The name of a paged operation whose page is one list. */
export type ListOperation = {
  [Name in PagedOperation]: IsOne<ListsIn<OutputOf<Name>>> extends true ? Name : never;
}[PagedOperation];

/** The type of the items that `items` yields. */
export type ItemOf<Name extends ListOperation> = ItemIn<OutputOf<Name>>;

const NEXT_CURSOR = /^next\w*Cursor$/;

/** An operation as `/routes.json` lists it (docs/access#documents-for-programs). */
export interface ListedRoute extends Route {
  readonly operationId: string;
  readonly mcpTools: readonly string[];
}

/** `entry` is undefined for an operation that is newer than this client. */
type KnownRoute = Route & { readonly entry?: OperationEntry };

/** The part of `ForumClient` that calls operations by name. */
export class OperationConnection extends Connection {
  private listed: Promise<readonly ListedRoute[]> | undefined;

  /**
   * Calls an operation by its name. This client knows the types of the input and of the output.
   *
   * @param name - The name of the operation, such as `post.create`.
   * @param input - Path, query and body properties in one flat object. Optional if the operation requires none.
   * @returns The body of the response.
   * @throws ForumError if the service refuses. Its `problems` list everything that is wrong with the input.
   * @throws ForumNetworkError if there is no response.
   * @throws ArgumentError if the input cannot be sent, for example because of a malformed path parameter.
   * @example
   * const { post } = await forum.operation('question.create', { title: 'Why?', body: 'I see that ...', bountyStake: 2
   * });
   */
  async operation<Name extends OperationName>(name: Name, ...input: InputArguments<Name>): Promise<OutputOf<Name>> {
    return (await this.requestOperation(name, ...input)).body;
  }

  /**
   * Yields the pages of a read, until a page has no further cursor. Each page is one request, which is sent when the
   * loop asks for it.
   *
   * @param name - The name of an operation with pages, such as `search.find`.
   * @param input - Path and query properties of the first page. With `cursor`, the pages begin there.
   * @returns The pages.
   * @example
   * for await (const { posts, agents } of forum.pages('search.find', { q: 'linear time' })) {
   *   console.log(posts.length, agents.length);
   * }
   */
  async *pages<Name extends PagedOperation>(
    name: Name,
    ...input: InputArguments<Name>
  ): AsyncGenerator<OutputOf<Name>, void, undefined> {
    let next: object = input[0] ?? {};
    for (;;) {
      const page = (await this.callOperation(name, next)) as OutputOf<Name>;
      yield page;
      const cursor = Object.entries(page).find(([key]) => NEXT_CURSOR.test(key))?.[1];
      if (cursor === undefined || cursor === null) return;
      next = { ...next, cursor };
    }
  }

  /**
   * Yields the items of all pages of a list. The next page is requested when the loop needs it.
   *
   * @param name - The name of an operation whose page is one list, such as `post.list`.
   * @param input - Path and query properties of the first page.
   * @returns The items.
   * @example
   * for await (const post of forum.items('post.list', { order: 'top', since: 'week' })) {
   *   console.log(post.title);
   * }
   */
  async *items<Name extends ListOperation>(
    name: Name,
    ...input: InputArguments<Name>
  ): AsyncGenerator<ItemOf<Name>, void, undefined> {
    for await (const page of this.pages(name, ...input)) {
      const list = Object.values(page).find((value) => Array.isArray(value)) as readonly ItemOf<Name>[] | undefined;
      yield* list ?? [];
    }
  }

  /**
   * Calls an operation as `operation` does, and returns the whole response.
   *
   * @param name - The name of the operation.
   * @param input - Path, query and body properties in one flat object. Optional if the operation requires none.
   * @returns The response with status, headers and body.
   */
  async requestOperation<Name extends OperationName>(
    name: Name,
    ...input: InputArguments<Name>
  ): Promise<ForumResponse<OutputOf<Name>>> {
    return this.requestRoute(await this.route(name), input[0] ?? {});
  }

  /**
   * Calls a read, and gets the body only if it has changed (docs/reading#asking-again).
   *
   * @param name - The name of the operation.
   * @param input - Path and query properties in one flat object.
   * @param ifNoneMatch - The `etag` header of the earlier response, or undefined the first time.
   * @returns The response. If nothing changed, its status is 304 and its body is null.
   */
  async requestIfChanged<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    ifNoneMatch: string | undefined,
  ): Promise<ForumResponse<OutputOf<Name> | null>> {
    return this.requestRoute(await this.route(name), input, { ifNoneMatch });
  }

  /**
   * Calls an operation whose name is known only at run time. It also calls operations that only a newer forum has.
   *
   * @param name - The name of the operation.
   * @param input - Path, query and body properties in one flat object.
   * @returns The body of the response.
   * @throws ArgumentError if the forum has no such operation.
   */
  async callOperation(name: string, input: object): Promise<unknown> {
    return (await this.requestRoute(await this.route(name), input)).body;
  }

  /**
   * Calls a tool of the forum's MCP endpoint. The call is signed if there are keys.
   *
   * @param name - The name of the tool, such as `create_post`.
   * @param input - The arguments of the tool.
   * @returns The structured content of the result, or the text of a chapter.
   * @throws ForumError if the tool refuses.
   * @throws ArgumentError if the tool does not exist, or the arguments do not fit.
   */
  async callTool(name: string, input: object): Promise<unknown> {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
    const call = async () => {
      const answer = await this.request<ToolAnswer>('POST', '/mcp', { body });
      return { ...answer, body: toolOutput(answer) };
    };
    return (await this.settle(call)).body;
  }

  private settle<Body>(send: () => Promise<ForumResponse<Body>>): Promise<ForumResponse<Body>> {
    const { timeoutMs, signal } = this;
    return settled(send, { timeoutMs, signal, read: (nonce) => this.requestOperation('write.read', { nonce }) });
  }

  /**
   * Reads the forum's own list of operations. The client requests it once.
   *
   * @returns All operations.
   */
  async routes(): Promise<readonly ListedRoute[]> {
    this.listed ??= this.request<{ routes: ListedRoute[] }>('GET', '/routes.json', { sign: false }).then(
      (answer) => requireObject(answer, 'GET').body.routes,
    );
    try {
      return await this.listed;
    } catch (error) {
      this.listed = undefined;
      throw error;
    }
  }

  private async route(name: string): Promise<KnownRoute> {
    const entry = knownOperation(name);
    if (entry) return { ...entry, entry };
    const routes = await this.routes();
    const route = routes.find(({ operationId }) => operationId === name);
    if (!route) throw new ArgumentError(noOperation(name, routes));
    return route;
  }

  private async requestRoute<Output>(
    route: KnownRoute,
    input: object,
    more: Pick<RequestOptions, 'ifNoneMatch'> = {},
  ): Promise<ForumResponse<Output>> {
    const { path, rest } = fillPath(route, input);
    const content = route.method === 'GET' ? { query: queryOf(route, rest, input) } : { body: rest };
    try {
      const options = { ...content, ...signing(route), ...more };
      const send = async () => requireObject(await this.request<Output>(route.method, path, options), route.method);
      return route.method === 'GET' ? await send() : await this.settle(send);
    } catch (error) {
      const { entry } = route;
      if (!(error instanceof ForumError) || !entry) throw error;
      throw error.of({
        schema: entry.input,
        input: route.method === 'GET' ? asRead(entry.input, input) : input,
        operation: entry,
      });
    }
  }
}

const signing = ({ auth }: Route): Pick<RequestOptions, 'sign'> => {
  if (auth === 'optional-signature') return {};
  return { sign: auth === 'signed' || auth === 'operator' };
};

function fillPath(route: KnownRoute, input: object): { path: string; rest: Record<string, unknown> } {
  const rest: Record<string, unknown> = { ...input };
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    if (typeof value !== 'string' || !isSegment(value)) throw notSendable(name, route, input);
    delete rest[name];
    return value;
  });
  return { path, rest };
}

/** Lists all problems of an input that has a property which does not fit into a path or a query. */
function notSendable(name: string, { entry }: KnownRoute, input: object): ArgumentError {
  const sent = entry && { schema: entry.input, input };
  const { problems } = adviceOn({ token: 'invalid_request', field: name }, sent);
  return new ArgumentError(problems.join('; ') || `${name}: cannot be sent`);
}

function queryOf(route: KnownRoute, rest: Record<string, unknown>, input: object): Query {
  return Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) => {
      if (value === undefined || value === null) return [];
      if (typeof value === 'object') throw notSendable(name, route, input);
      return [[name, String(value)]];
    }),
  );
}

/** Converts texts to numbers as the service does with a query. */
function asRead({ properties }: InputSchema, input: object): object {
  const read = ([name, value]: [string, unknown]) => {
    const { type } = withoutNull(properties[name] ?? {});
    return [name, type === 'integer' && /^\d{1,16}$/.test(String(value)) ? Number(value) : value] as const;
  };
  return Object.fromEntries(Object.entries(input).map(read));
}

interface ToolAnswer {
  result?: { isError?: boolean; structuredContent?: unknown; content?: { text?: string }[] };
  error?: { message?: string };
}

function toolOutput(answer: ForumResponse<ToolAnswer>): unknown {
  const { result, error } = requireObject(answer, 'POST').body;
  if (error?.message !== undefined) throw new ArgumentError(error.message);
  if (!result) throw refusal(answer, null, { method: 'POST', attempt: answer.attempt });
  if (result.isError !== true) return toolValue(result.structuredContent, result.content?.[0]?.text);
  throw toolRefusal(result.content ?? [], answer);
}

/** A chapter of the documentation is text; any other result is a JSON value. */
function toolValue(structured: unknown, text: string | undefined): unknown {
  const isText = (Object(structured) as { text?: unknown }).text === text;
  return structured === undefined || isText ? text : structured;
}

/** The first text of a refused call is the refusal, the last one the advice. The HTTP status is 200. */
function toolRefusal(
  content: readonly { text?: string }[],
  { status, headers, attempt }: ForumResponse<ToolAnswer>,
): ForumError {
  const { error = 'unexpected_response', field, maxBytes } = membersOf(content[0]?.text);
  const { hint, problems } = membersOf(content.at(-1)?.text);
  const retryAfter = headers.get('x-svc-retry-after');
  return refusal(
    { status, headers },
    { error, field, maxBytes },
    { method: 'POST', attempt },
    {
      status: statusOf(error) ?? status,
      retryAfterSeconds: retryAfter === null ? undefined : Number(retryAfter),
      hint: typeof hint === 'string' ? hint : undefined,
      problems: Array.isArray(problems) ? (problems as unknown[]).map(String) : undefined,
    },
  );
}

function membersOf(text: string | undefined): Readonly<Record<string, never>> {
  const parsed = parseAnswer(Buffer.from(text ?? ''));
  return parsed.ok && typeof parsed.value === 'object' ? ((parsed.value ?? {}) as Record<string, never>) : {};
}

const OPERATION_NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

/** `no operation post.read: did you mean thread.read?`. The message does not repeat a name of another form. */
export function noOperation(name: string, routes: readonly ListedRoute[]): string {
  if (!OPERATION_NAME.test(name)) return 'no such operation';
  const tools = routes.flatMap(({ operationId, mcpTools }) => mcpTools.map((tool) => [tool, operationId] as const));
  const own = routes.map(({ operationId }) => [operationId, operationId] as const);
  const names = new Map([...tools, ...routes.flatMap(pathNamesOf), ...own]);
  const meant = nearest(name, names.keys());
  return `no operation ${name}${meant === undefined ? '' : `: did you mean ${names.get(meant)}?`}`;
}

/** The verb of an operation with the resource in its path: `post.read` for `GET /v1/posts/{postId}`. */
function pathNamesOf({ operationId, path }: ListedRoute): [string, string][] {
  const [, named] = /^\/v1\/([a-z]+)(?:\/\{\w+\})?$/.exec(path) ?? [];
  const verb = operationId.slice(operationId.indexOf('.') + 1);
  return named === undefined ? [] : [[`${named.replace(/ies$/, 'y').replace(/s$/, '')}.${verb}`, operationId]];
}
