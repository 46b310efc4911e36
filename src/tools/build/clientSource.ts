/** Writes the types and the table of all operations as source files of the TypeScript client. */
import { type JsonSchema, jsonSchema } from '../../kernel/jsonSchema.ts';
import type { Operation } from '../../kernel/operation.ts';
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

function tableSource(operations: readonly Operation[]): string {
  const entries = operations.map((op) => {
    const { name, method, path, auth, counter, summary, input } = op;
    const route = { method, path, auth, counter, summary, input: jsonSchema(input) };
    return `  '${name}': ${JSON.stringify(route)},`;
  });
  return [
    HEAD,
    "import type { OperationTable } from '../table.ts';\n",
    `export const OPERATIONS: OperationTable = {\n${entries.join('\n')}\n};\n`,
  ].join('\n');
}
