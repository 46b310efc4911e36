import { chargedCounter, mcpToolsOf, type Operation, pathParameters } from '../operation/operation.ts';
import { MAX_BODY_BYTES, maxBodyBytesOf } from '../operation/schemas.ts';
import { IDENTIFIER_PATTERNS, IDENTIFIERS, type IdentifierName } from '../protocol/ids.ts';

const INVENTORY_VERSION = 1;

interface RouteEntry {
  method: string;
  path: string;
  auth: string;
  /** Null unless the route is an operation or MCP. */
  operationId: string | null;
  counter: string | null;
  /** 0 if a body is refused. */
  maxBodyBytes: number;
  mcpTools: string[];
}

/** `/routes.json`: all v1 routes and identifiers (docs/access#documents-for-programs). */
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

export interface OtherRoute {
  readonly path: string;
  readonly methods: readonly string[];
  readonly params: Record<string, string>;
}

export type FindOtherRoute = (path: string) => OtherRoute | undefined;

/** Only the routes of MCP accept POST. */
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
 * Finds the route of a method and a path, and the problems with its parameters, without storage (docs/reading#names).
 */
export function checkRoute(
  operations: readonly Operation[],
  { method, path }: { method: string | null; path: string | null },
  findOther: FindOtherRoute,
): RouteCheck {
  const none = { matched: false, route: null, params: {} };
  if (method === null || path === null) return { ...none, problems: ['send method and path together'] };
  const candidates = operations.flatMap((op) => {
    const params = capture(op.path, path);
    return params ? [{ op, params, problems: parameterProblems(params) }] : [];
  });
  const asked = method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase();
  if (candidates.length === 0) {
    const other = findOther(path);
    if (!other) return { ...none, problems: ['no route has this path'] };
    if (!other.methods.includes(asked)) return { ...none, problems: [`this path takes ${other.methods.join(', ')}`] };
    return { matched: true, route: otherEntry(asked, other), params: other.params, problems: [] };
  }
  const sameMethod = candidates.filter(({ op }) => op.method === asked);
  if (sameMethod.length === 0) {
    // Reports invalid parameters too, because such a path is `not_found` with any method.
    const fitting = candidates.filter(({ problems }) => problems.length === 0);
    const shown = fitting.length > 0 ? fitting : candidates;
    const methods = [...new Set(shown.map(({ op }) => op.method))].join(', ');
    return { ...none, problems: [`this path takes ${methods}`, ...shown[0]!.problems] };
  }
  const best = sameMethod.find(({ problems }) => problems.length === 0) ?? sameMethod[0]!;
  const { op, params, problems } = best;
  return { matched: problems.length === 0, route: routeEntry(op), params, problems };
}

/** The parameters of a path by a template, or null if its fixed segments differ. */
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
