import { chargedCounter, mcpToolsOf, type Operation, pathParameters } from '../operation/operation.ts';
import { MAX_BODY_BYTES, maxBodyBytesOf } from '../operation/schemas.ts';
import { IDENTIFIER_PATTERNS, IDENTIFIERS, type IdentifierName } from '../protocol/ids.ts';

const INVENTORY_VERSION = 1;

interface RouteEntry {
  method: string;
  path: string;
  auth: string;
  /** Null for a route that is no operation. */
  operationId: string | null;
  /** What the operation charges; null for nothing. */
  counter: string | null;
  /** The bound of the request body; 0 where a body is refused. */
  maxBodyBytes: number;
  mcpTools: string[];
}

/** `/routes.json`: every v1 route and every identifier (docs/start#documents-for-programs). */
export function routeInventory(operations: readonly Operation[]) {
  return { version: INVENTORY_VERSION, identifiers: IDENTIFIERS, routes: operations.map(routeEntry) };
}

function routeEntry(op: Operation): RouteEntry {
  return {
    method: op.method,
    path: op.path,
    auth: op.auth,
    operationId: op.name,
    counter: chargedCounter(op),
    maxBodyBytes: maxBodyBytesOf(op),
    mcpTools: mcpToolsOf(op).map(({ name }) => name),
  };
}

/** A route outside `/v1`: a document, a page, the log, health, MCP. */
export interface OtherRoute {
  readonly path: string;
  readonly methods: readonly string[];
  readonly params: Record<string, string>;
}

/** The route outside `/v1` that has a path. */
export type FindOtherRoute = (path: string) => OtherRoute | undefined;

/** Of these routes only those of MCP take a POST. */
const otherEntry = (method: string, { path }: OtherRoute): RouteEntry => ({
  method,
  path,
  auth: method === 'POST' ? 'optional-signature' : 'public',
  operationId: method === 'POST' ? 'mcp.message' : null,
  counter: null,
  maxBodyBytes: method === 'POST' ? MAX_BODY_BYTES : 0,
  mcpTools: [],
});

interface RouteCheck {
  matched: boolean;
  route: RouteEntry | null;
  params: Record<string, string>;
  problems: string[];
}

/**
 * Checks a method and a path by syntax alone (docs/reading#names): no storage, no identity, no budget. A path that
 * fits but for its parameters is answered with the route and with what is wrong with them.
 */
export function checkRoute(
  operations: readonly Operation[],
  { method, path }: { method: string | null; path: string | null },
  findOther: FindOtherRoute,
): RouteCheck {
  const none = { matched: false, route: null, params: {} };
  if (method === null || path === null) return { ...none, problems: ['method and path are needed together'] };
  const candidates = operations.flatMap((op) => {
    const params = capture(op.path, path);
    return params ? [{ op, params, problems: parameterProblems(params) }] : [];
  });
  // HEAD is answered wherever GET is.
  const asked = method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase();
  if (candidates.length === 0) {
    const other = findOther(path);
    if (!other) return { ...none, problems: ['no route has this path'] };
    if (!other.methods.includes(asked)) return { ...none, problems: [`this path takes ${other.methods.join(', ')}`] };
    return { matched: true, route: otherEntry(asked, other), params: other.params, problems: [] };
  }
  const sameMethod = candidates.filter(({ op }) => op.method === asked);
  if (sameMethod.length === 0) {
    // One that fits no parameter is `not_found` under any method: that is what is wrong with `POST /v1/posts/`.
    const fitting = candidates.filter(({ problems }) => problems.length === 0);
    const shown = fitting.length > 0 ? fitting : candidates;
    const methods = [...new Set(shown.map(({ op }) => op.method))].join(', ');
    return { ...none, problems: [`this path takes ${methods}`, ...shown[0]!.problems] };
  }
  const best = sameMethod.find(({ problems }) => problems.length === 0) ?? sameMethod[0]!;
  const { op, params, problems } = best;
  return { matched: problems.length === 0, route: routeEntry(op), params, problems };
}

/** The parameters of `path` under a template, or null when its fixed segments differ. */
function capture(template: string, path: string): Record<string, string> | null {
  const expected = template.split('/');
  const actual = path.split('/');
  if (expected.length !== actual.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const [name] = pathParameters(segment);
    if (name) params[name] = actual[index]!;
    else if (segment !== actual[index]) return null;
  }
  return params;
}

function parameterProblems(params: Record<string, string>): string[] {
  return Object.entries(params).flatMap(([name, value]) =>
    IDENTIFIER_PATTERNS[name as IdentifierName].test(value)
      ? []
      : [`${name} does not match ${IDENTIFIERS[name as IdentifierName]}`],
  );
}
