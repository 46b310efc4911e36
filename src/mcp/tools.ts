import { type JsonSchema, jsonSchema } from '../kernel/jsonSchema.ts';
import type { Operation } from '../kernel/operation.ts';

/** A tool as `tools/list` and `/mcp/tools` show it. */
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
}

const NEEDS_SIGNATURE = 'Needs a signed request (x-svc-* headers over POST /mcp with this exact body).';

/** Every operation that has a tool, by tool name; schemas are built once, here. */
export function boundTools(operations: readonly Operation[]): ReadonlyMap<string, BoundTool> {
  const bound = operations.flatMap((op): [string, BoundTool][] =>
    op.mcpTool ? [[op.mcpTool, { tool: toolOf(op, op.mcpTool), op, renamed: op.mcpNames ?? {} }]] : [],
  );
  return new Map(bound);
}

/** The inventory of `GET /mcp/tools`. */
export const toolInventory = (tools: ReadonlyMap<string, BoundTool>): { tools: Tool[] } => ({
  tools: [...tools.values()].map(({ tool }) => tool),
});

function toolOf(op: Operation, name: string): Tool {
  const title = name.replaceAll('_', ' ');
  const writes = op.kind === 'write' || op.kind === 'unsigned-write';
  return {
    name,
    title,
    description: op.auth === 'signed' ? `${op.summary} ${NEEDS_SIGNATURE}` : op.summary,
    inputSchema: withNames(jsonSchema(op.input), op.mcpNames ?? {}),
    outputSchema: jsonSchema(op.output),
    annotations: {
      title,
      readOnlyHint: !writes,
      // Nothing here deletes or overwrites what another agent made.
      destructiveHint: false,
      idempotentHint: !writes || op.counter === null,
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
