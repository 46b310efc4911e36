import { type JsonSchema, jsonSchema } from '../operation/jsonSchema.ts';
import { type McpTool, mcpToolsOf, type Operation, pathParameters } from '../operation/operation.ts';
import { lazy } from '../platform/lazy.ts';

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

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: Partial<Tool['annotations']>;
}

/** A tool with its operation. Its schemas are written on first use. */
export interface BoundTool {
  readonly name: string;
  readonly described: () => Tool;
  readonly listed: () => ListedTool;
  readonly op: Operation;
  /** Argument names by the input property, where the two differ. */
  readonly renamed: Readonly<Record<string, string>>;
  /** The schema of the arguments if one route is several tools. */
  readonly narrowed: McpTool['input'] | undefined;
  /** The text of an answer for models. The JSON is then only in the structured content. */
  readonly textOf?: (json: string) => string;
  readonly advice?: object;
}

export type BoundTools = ReadonlyMap<string, BoundTool>;

const NEEDS_SIGNATURE =
  'Requires a signed request: x-svc-* headers over POST, the path of the endpoint and this exact body.';

const boundOf = new WeakMap<Operation, readonly BoundTool[]>();

export function boundTools(operations: readonly Operation[]): BoundTools {
  const bound = operations.flatMap((op) => {
    const tools = boundOf.get(op) ?? mcpToolsOf(op).map((declared) => boundTool(op, declared));
    boundOf.set(op, tools);
    return tools;
  });
  return new Map(bound.map((each) => [each.name, each]));
}

export const toolInventory = (tools: BoundTools): { tools: Tool[] } => ({
  tools: [...tools.values()].map(({ described }) => described()),
});

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
  const signature = op.auth === 'signed' ? ` ${NEEDS_SIGNATURE}` : '';
  return {
    name,
    title,
    description: summary + exampleText(op) + signature,
    inputSchema: withNames(jsonSchema(input), op.mcpNames ?? {}),
    outputSchema: jsonSchema(output),
    annotations: { title, ...hintsOf(op), openWorldHint: true },
  };
}

/** Clients give the list to their model, so it omits output schemas, repeated titles and default hints (docs/mcp). */
function listedOf(op: Operation, { name, summary, input }: McpTool): ListedTool {
  const schema = jsonSchema(input, { brief: true });
  const { readOnlyHint, destructiveHint, idempotentHint } = hintsOf(op);
  const ofWrites = { destructiveHint, ...(idempotentHint ? { idempotentHint } : {}) };
  return {
    name,
    description: summary + exampleText(op),
    inputSchema: withNames(op.kind === 'preview' ? withoutNested(schema) : schema, op.mcpNames ?? {}),
    annotations: readOnlyHint ? { readOnlyHint } : ofWrites,
  };
}

/** A preview takes the same objects as its write, whose tool describes them. */
function withoutNested(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, property]) => {
    if (!property.properties) return [name, property];
    const names = Object.keys(property.properties).join(', ');
    return [name, { type: 'object', description: `${property.description as string} As in the write: ${names}.` }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** The arguments of an example call, as text, because not every client shows `examples` of a schema to its model. */
function exampleText({ isExampleInTool, path, example }: Operation): string {
  if (!isExampleInTool) return '';
  const ids = Object.fromEntries(pathParameters(path).map((name) => [name, `{${name}}`]));
  return ` Example: ${JSON.stringify({ ...ids, ...(example?.body as object | undefined) })}`;
}

/** The annotations of a tool (docs/mcp#calling). */
function hintsOf(op: Operation) {
  const readOnlyHint = storesNothing(op);
  return {
    readOnlyHint,
    // No operation deletes or overwrites what another agent made.
    destructiveHint: false,
    idempotentHint: readOnlyHint || (op.kind === 'write' && op.idempotent === true),
  };
}

/** The tools of `/mcp/read` (docs/mcp#doors): reads, including signed ones, and previews. */
export const storesNothing = ({ kind }: Operation): boolean => kind === 'read' || kind === 'preview';

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
