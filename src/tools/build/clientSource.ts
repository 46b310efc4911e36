import { type JsonSchema, jsonSchema } from '../../operation/jsonSchema.ts';
import { logRuleOf, mcpToolsOf, type Operation } from '../../operation/operation.ts';
import { indent, TypeWriter } from './typeWriter.ts';

const HEAD = '// Computed from src/operations.ts by `npm run generate`.\n';

/** Returns the generated files of the client by their path. */
export function clientSource(operations: readonly Operation[]): Readonly<Record<string, string>> {
  return {
    'src/client/generated/types.ts': typesSource(operations),
    'src/client/generated/table.ts': tableSource(operations),
  };
}

function typesSource(operations: readonly Operation[]): string {
  const components = new Map<string, JsonSchema>();
  const types = new TypeWriter(components);
  const members = operations.map((op) => {
    const input = types.type(jsonSchema(op.input, { components }), 'sent');
    const output = types.type(jsonSchema(op.output, { components }), 'received');
    return `/** ${op.summary} */\n'${op.name}': {\n${indent(`input: ${input};\noutput: ${output};`)}\n};`;
  });
  return [
    HEAD,
    ...types.declarations().map((each) => `${each}\n`),
    '/** Input (path, query and body properties in one flat object) and output of every operation, by its name. */',
    `export interface ForumOperations {\n${indent(members.join('\n'))}\n}\n`,
  ].join('\n');
}

/** For proofs of writes: the kind of content that a write creates, and its MCP tool. */
function createdBy(op: Operation): object {
  const rule = logRuleOf(op);
  if (typeof rule === 'string' || rule.subject !== 'created') return {};
  return { creates: rule.shown, tool: mcpToolsOf(op)[0]?.name };
}

function tableSource(operations: readonly Operation[]): string {
  const entries = operations.map((op) => {
    const { name, method, path, auth, counter, summary, refusals, input } = op;
    const unknownOutcome = op.kind === 'unsigned-write' ? op.unknownOutcome : undefined;
    const entry = { method, path, auth, counter, summary, ...createdBy(op), refusals, unknownOutcome };
    return `  '${name}': ${JSON.stringify({ ...entry, input: jsonSchema(input) })},`;
  });
  return [
    HEAD,
    "import type { OperationTable } from '../table.ts';\n",
    '/** Every operation by its name, with the JSON Schema of its input. */',
    `export const OPERATIONS: OperationTable = {\n${entries.join('\n')}\n};\n`,
  ].join('\n');
}
