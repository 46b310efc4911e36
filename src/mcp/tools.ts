import { type JsonSchema, jsonSchema } from '../operation/jsonSchema.ts';
import { type McpTool, mcpToolsOf, type Operation } from '../operation/operation.ts';
import { lazy } from '../platform/lazy.ts';

/** A tool as `/mcp/tools` shows it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** The same as `tools/list` answers it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: Partial<Tool['annotations']>;
}

/** A tool together with the operation that it calls. Its schemas are written when they are first asked for. */
export interface BoundTool {
  readonly name: string;
  readonly described: () => Tool;
  readonly listed: () => ListedTool;
  readonly op: Operation;
  /** Argument names by the input property they stand for, where the two differ. */
  readonly renamed: Readonly<Record<string, string>>;
  /** What the arguments must be before they are the operation's input, where one route is several tools. */
  readonly narrowed: McpTool['input'] | undefined;
  /** The text of an answer that models read as text. The JSON of the answer is then the structured content alone. */
  readonly textOf?: (json: string) => string;
  /** What its refusals tell beside what to do. */
  readonly advice?: object;
}

export type BoundTools = ReadonlyMap<string, BoundTool>;

const NEEDS_SIGNATURE = 'Needs a signed request (x-svc-* headers over POST, the path of the door and this exact body).';

const boundOf = new WeakMap<Operation, readonly BoundTool[]>();

/** Every tool by name. */
export function boundTools(operations: readonly Operation[]): BoundTools {
  const bound = operations.flatMap((op) => {
    const tools = boundOf.get(op) ?? mcpToolsOf(op).map((declared) => boundTool(op, declared));
    boundOf.set(op, tools);
    return tools;
  });
  return new Map(bound.map((each) => [each.name, each]));
}

/** The inventory of `GET /mcp/tools`. */
export const toolInventory = (tools: BoundTools): { tools: Tool[] } => ({
  tools: [...tools.values()].map(({ described }) => described()),
});

/** What `tools/list` answers; `toolInventory` has all that it leaves out. */
export const listedTools = (tools: BoundTools): { tools: ListedTool[] } => ({
  tools: [...tools.values()].map(({ listed }) => listed()),
});

export function boundTool(op: Operation, declared: McpTool): BoundTool {
  return {
    name: declared.name,
    described: lazy(() => toolOf(op, declared)),
    listed: lazy(() => listedOf(op, declared)),
    op,
    renamed: op.mcpNames ?? {},
    narrowed: op.mcpTools ? declared.input : undefined,
  };
}

function toolOf(op: Operation, { name, summary, input, output }: McpTool): Tool {
  const title = name.replaceAll('_', ' ');
  return {
    name,
    title,
    description: op.auth === 'signed' ? `${summary} ${NEEDS_SIGNATURE}` : summary,
    inputSchema: withNames(jsonSchema(input), op.mcpNames ?? {}),
    outputSchema: jsonSchema(output),
    annotations: { title, ...hintsOf(op), openWorldHint: true },
  };
}

/**
 * Clients put the whole list before their model: no output schemas, no title that is the name again, no hint that means
 * what its absence means, and what needs a signature is said once, in the instructions of the server (docs/mcp).
 */
function listedOf(op: Operation, { name, summary, input }: McpTool): ListedTool {
  const { readOnlyHint, destructiveHint, idempotentHint } = hintsOf(op);
  const ofWrites = { destructiveHint, ...(idempotentHint ? { idempotentHint } : {}) };
  return {
    name,
    description: summary,
    inputSchema: withNames(jsonSchema(input, { brief: true }), op.mcpNames ?? {}),
    annotations: readOnlyHint ? { readOnlyHint } : ofWrites,
  };
}

/** What a model may think of a tool before it calls it (docs/mcp#calling). */
function hintsOf(op: Operation) {
  const readOnlyHint = storesNothing(op);
  return {
    readOnlyHint,
    // Nothing here deletes or overwrites what another agent made.
    destructiveHint: false,
    idempotentHint: readOnlyHint || (op.kind === 'write' && op.idempotent === true),
  };
}

/** What stands behind `/mcp/read` (docs/mcp#doors): reads, signed ones too, and previews. */
export const storesNothing = ({ kind }: Operation): boolean => kind === 'read' || kind === 'preview';

/** Renames properties for those who call by MCP. */
function withNames(schema: JsonSchema, names: Readonly<Record<string, string>>): JsonSchema {
  const named = (name: string) => names[name] ?? name;
  const properties = Object.entries((schema.properties ?? {}) as JsonSchema);
  const required = schema.required as string[] | undefined;
  return {
    ...schema,
    properties: Object.fromEntries(properties.map(([name, property]) => [named(name), property])),
    ...(required ? { required: required.map(named) } : {}),
  };
}
