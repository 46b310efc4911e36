/** What the client knows of the table: files of its source, so that it needs nothing of the service. */
import { jsonSchema } from '../../kernel/jsonSchema.ts';
import type { Operation } from '../../kernel/operation.ts';
import { indent, TypeWriter } from './typeWriter.ts';

const HEAD = '// Computed from src/operations.ts by `npm run generate`.\n';

/** The generated files of the client by their path: types of every operation, and where each is and what it takes. */
export function clientSource(operations: readonly Operation[]): Readonly<Record<string, string>> {
  return {
    'src/client/generated/types.ts': typesSource(operations),
    'src/client/generated/table.ts': tableSource(operations),
  };
}

function typesSource(operations: readonly Operation[]): string {
  const schemas = operations.map((op) => ({ op, input: jsonSchema(op.input), output: jsonSchema(op.output) }));
  const types = new TypeWriter(
    schemas.flatMap(({ op, input, output }) => [
      { schema: input, direction: 'sent', name: `${nounOf(op)}Input` },
      { schema: output, direction: 'received', name: nounOf(op) },
    ]),
  );
  const members = schemas.map(({ op, input, output }) => {
    const lines = [`input: ${types.type(input, 'sent')};`, `output: ${types.type(output, 'received')};`];
    return `/** ${op.summary} */\n'${op.name}': {\n${indent(lines.join('\n'))}\n};`;
  });
  return [
    HEAD,
    ...types.declarations().map((each) => `${each}\n`),
    '/** Input (path, query and body properties in one flat object) and output of every operation, by its name. */',
    `export interface ForumOperations {\n${indent(members.join('\n'))}\n}\n`,
  ].join('\n');
}

const nounOf = ({ name }: Operation): string => name.slice(0, name.indexOf('.'));

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
