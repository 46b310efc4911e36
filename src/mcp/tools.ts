import { type JsonSchema, jsonSchema } from '../kernel/jsonSchema.ts';
import { type McpTool, mcpToolsOf, type Operation } from '../kernel/operation.ts';

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

/** A tool together with the operation that it calls. */
export interface BoundTool {
  readonly tool: Tool;
  readonly op: Operation;
  /** Argument names by the input property they stand for, where the two differ. */
  readonly renamed: Readonly<Record<string, string>>;
  /** What the arguments must be before they are the operation's input, where one route is several tools. */
  readonly narrowed: McpTool['input'] | undefined;
}

const NEEDS_SIGNATURE = 'Needs a signed request (x-svc-* headers over POST /mcp with this exact body).';

/** Every tool by name; schemas are built once, here. */
export function boundTools(operations: readonly Operation[]): ReadonlyMap<string, BoundTool> {
  const bound = operations.flatMap((op) =>
    mcpToolsOf(op).map((declared): [string, BoundTool] => [
      declared.name,
      {
        tool: toolOf(op, declared),
        op,
        renamed: op.mcpNames ?? {},
        narrowed: op.mcpTools ? declared.input : undefined,
      },
    ]),
  );
  return new Map(bound);
}

/** The inventory of `GET /mcp/tools`. */
export const toolInventory = (tools: ReadonlyMap<string, BoundTool>): { tools: Tool[] } => ({
  tools: [...tools.values()].map(({ tool }) => tool),
});

/**
 * What `tools/list` answers. Clients put the whole list before their model, so it has no output schemas, which are five
 * sixths of the inventory.
 */
export const listedTools = (tools: ReadonlyMap<string, BoundTool>): { tools: Omit<Tool, 'outputSchema'>[] } => ({
  tools: toolInventory(tools).tools.map(({ outputSchema: _inventoryOnly, ...listed }) => listed),
});

function toolOf(op: Operation, { name, summary, input, output }: McpTool): Tool {
  const title = name.replaceAll('_', ' ');
  const writes = op.kind === 'write' || op.kind === 'unsigned-write';
  return {
    name,
    title,
    description: op.auth === 'signed' ? `${summary} ${NEEDS_SIGNATURE}` : summary,
    inputSchema: withNames(jsonSchema(input), op.mcpNames ?? {}),
    outputSchema: jsonSchema(output),
    annotations: {
      title,
      readOnlyHint: !writes,
      // Nothing here deletes or overwrites what another agent made.
      destructiveHint: false,
      idempotentHint: !writes || (op.kind === 'write' && op.idempotent === true),
      openWorldHint: true,
    },
  };
}

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
