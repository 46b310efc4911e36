import { type JsonSchema, jsonSchema } from '../../operation/jsonSchema.ts';
import type { Operation } from '../../operation/operation.ts';
import { pythonHints } from './pythonHints.ts';
import { capitalized, isPythonName, literal, PythonTypes, sentence } from './pythonTypes.ts';
import type { Parts } from './typeWriter.ts';

const FOLDER = 'src/client/python/agent_forum/generated';
const HEAD = '# Computed from src/operations.ts by `npm run generate`.\n';

/** Returns the generated files of the Python client by their path. */
export function pythonSource(operations: readonly Operation[]): Readonly<Record<string, string>> {
  const components = new Map<string, JsonSchema>();
  const schemas = operations.map((op) => ({
    op,
    input: jsonSchema(op.input, { components }) as ObjectSchema,
    output: jsonSchema(op.output, { components }),
  }));
  const types = new PythonTypes(components);
  const methods = schemas.flatMap(({ op, input, output }) => methodsOf(op, input, output, { types, components }));
  const table = operations.map((op) => `    ${literal(op.name)}: ${entryText(op)},`);
  return {
    [`${FOLDER}/__init__.py`]: '"""Computed from the service\'s own table of operations."""\n',
    [`${FOLDER}/types.py`]: `${HEAD}"""The types of inputs and outputs."""

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

${types
  .declarations()
  .map((each) => `\n${each}\n`)
  .join('\n')}`,
    [`${FOLDER}/operations.py`]: `${HEAD}"""Every operation as a method, and the table of operations."""

from typing import Any, Dict, Iterator, List, Literal, Optional, Union, cast

from ..caller import Caller
from ..table import UNSET, Operation
from .types import (
${types
  .names()
  .toSorted()
  .filter((name) => methods.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
  .map((name) => `    ${name},\n`)
  .join('')})


class Operations(Caller):
    """Every operation as a method. Arguments have their names on the wire; optional ones that are None are left out."""

${methods.join('\n\n')}


#: The method, path, authentication and counter of every operation, by its name.
OPERATIONS: Dict[str, Operation] = {
${table.join('\n')}
}
`,
    [`${FOLDER}/hints.py`]: `${HEAD}${pythonHints(operations)}`,
  };
}

type ObjectSchema = Partial<Parts>;

interface Known {
  readonly types: PythonTypes;
  readonly components: ReadonlyMap<string, JsonSchema>;
}

interface Parameter {
  readonly name: string;
  readonly text: string;
  readonly said: string;
  /** True if None means that the argument is left out. */
  readonly isOmitted: boolean;
}

function methodsOf(op: Operation, input: ObjectSchema, output: JsonSchema, known: Known): string[] {
  const parameters = parametersOf(op, input, known.types);
  const answer = known.types.type(output, `${capitalized(op.name)}Answer`);
  const name = op.name.replace('.', '_');
  const single = methodText({
    name,
    parameters,
    summary: op.summary,
    answer,
    call: ['call', literal(op.name)],
  });
  const paged = pagedOf(output, known);
  if (paged === undefined) return [single];
  const others = parameters.filter((each) => each.name !== 'cursor');
  const called = [literal(op.name), literal(paged.nextCursor)];
  const pages = methodText({
    name: `${name}_pages`,
    parameters: others,
    summary: `The pages of \`\`${name}\`\`, one after another.`,
    answer: `Iterator[${answer}]`,
    call: ['_pages', ...called],
  });
  if (paged.listed === undefined) return [single, pages];
  const { property, items } = paged.listed;
  const each = methodText({
    name: `${name}_items`,
    parameters: others,
    summary: `The items of \`\`${name}\`\`, page after page.`,
    answer: `Iterator[${known.types.type(items, `${answer}Item`)}]`,
    call: ['_items', ...called, literal(property)],
  });
  return [single, pages, each];
}

function parametersOf(
  op: Operation,
  { properties = {}, required = [] }: ObjectSchema,
  types: PythonTypes,
): Parameter[] {
  const parameters = Object.entries(properties).map(([name, schema]): Parameter => {
    if (!isPythonName(name)) throw new Error(`${op.name}: no argument can be named ${name}`);
    const type = types.type(schema, `${capitalized(op.name)}${capitalized(name)}`);
    const said = (schema as { description?: string }).description ?? '';
    if (required.includes(name)) return { name, text: `${name}: ${type}`, said, isOmitted: false };
    if (type === 'Any') return { name, text: `${name}: Any = UNSET`, said, isOmitted: false };
    const optional = type.startsWith('Optional[') ? type : `Optional[${type}]`;
    return { name, text: `${name}: ${optional} = None`, said, isOmitted: true };
  });
  return parameters.toSorted((a, b) => Number(a.text.includes(' = ')) - Number(b.text.includes(' = ')));
}

interface Method {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly summary: string;
  readonly answer: string;
  /** The called method and its first arguments. */
  readonly call: readonly [string, ...string[]];
}

function methodText({ name, parameters, summary, answer, call: [called, ...before] }: Method): string {
  const signature = parameters.length === 0 ? ['self'] : ['self', '*', ...parameters.map(({ text }) => text)];
  const said = parameters
    .filter((each) => each.said !== '')
    .map((each) => `        ${each.name}: ${sentence(each.said)}`);
  const doc = said.length === 0 ? sentence(summary) : `${sentence(summary)}\n\n${said.join('\n')}\n        `;
  const entries = parameters.map((each) => `            ${literal(each.name)}: ${given(each)},\n`);
  return `    def ${name}(
${signature.map((each) => `        ${each},\n`).join('')}    ) -> ${answer}:
        """${doc}"""
        return cast(${answer}, self.${called}(${before.join(', ')}, {${entries.length === 0 ? '' : `\n${entries.join('')}        `}}))`;
}

const given = ({ name, isOmitted }: Parameter): string => (isOmitted ? `UNSET if ${name} is None else ${name}` : name);

/** The properties of a page with its next cursor and with its list, if it has only one list. */
function pagedOf(output: JsonSchema, { components }: Known) {
  const { $ref } = output as { $ref?: string };
  const page = ($ref === undefined ? output : components.get($ref.slice($ref.lastIndexOf('/') + 1))) as ObjectSchema;
  const { properties = {} } = page;
  const nextCursor = Object.keys(properties).find((name) => /^next\w*Cursor$/.test(name));
  if (nextCursor === undefined) return undefined;
  const lists = Object.entries(properties).flatMap(([property, { items }]) =>
    items === undefined ? [] : [{ property, items: items as JsonSchema }],
  );
  return { nextCursor, listed: lists.length === 1 ? lists[0] : undefined };
}

const entryText = ({ method, path, auth, counter }: Operation): string =>
  `Operation(${[method, path, auth, counter].map(literal).join(', ')})`;
