import { COUNTERS, type Config, type CounterName } from '../config.ts';
import { defaultOf } from '../dependencies/internals.ts';
import { ERROR_STATUS, type ErrorToken } from '../operation/errors.ts';
import { type JsonSchema, jsonSchema, withoutNull } from '../operation/jsonSchema.ts';
import {
  chargedCounter,
  declaredErrors,
  mcpToolsOf,
  type Operation,
  otherStatusesOf,
  pathParameters,
  type Refusals,
} from '../operation/operation.ts';
import { maxBodyBytesOf } from '../operation/schemas.ts';
import { fileVariable } from '../platform/envFile.ts';
import { ERROR_GUIDE, NOT_THERE } from '../protocol/errorGuide.ts';
import { IDENTIFIERS } from '../protocol/ids.ts';
import { POINTERS } from '../recording/events.ts';
import { ALL_SETTINGS } from '../settings.ts';
import { operationPath } from './addresses.ts';
import { impliedErrors, possibleErrors } from './openapi.ts';

type Cell = string | number;

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text: string): string => `\`${text}\``;

export function errorTable(): string {
  const tokens = Object.entries(ERROR_STATUS) as [ErrorToken, number][];
  return table(
    ['Token', 'Status', 'Meaning', 'Remedy'],
    tokens.map(([token, status]) => [code(token), status, ERROR_GUIDE[token].means, ERROR_GUIDE[token].recover]),
  );
}

export function counterTable(operations: readonly Operation[], { limits }: Config): string {
  const charging = (counter: CounterName) => operations.filter((op) => chargedCounter(op) === counter);
  return table(
    ['Counter', 'Allowance', 'Charged by'],
    (Object.keys(COUNTERS) as CounterName[]).map((counter) => [
      code(counter),
      limits[counter],
      charging(counter)
        .map(({ name }) => code(name))
        .join(', '),
    ]),
  );
}

export function pointerTable(): string {
  return table(
    ['Type', 'Sent when'],
    POINTERS.map(({ type, tells }) => [code(type), tells]),
  );
}

export function identifierTable(): string {
  return table(
    ['Name', 'Form'],
    Object.entries(IDENTIFIERS).map(([name, pattern]) => [code(name), code(pattern)]),
  );
}

/** All settings. `link` returns the address of a section of the documentation. */
export function settingsTable(link = (_chapter: string, section: string) => `#${section}`): string {
  const linked = (text: string): string =>
    text.replace(
      /docs\/([a-z]+)#([a-z0-9-]+)/g,
      (_, chapter: string, section: string) => `[${section.replaceAll('-', ' ')}](${link(chapter, section)})`,
    );
  return table(
    ['Variable', 'Default', 'Range', 'Meaning'],
    ALL_SETTINGS.map(({ name, schema, range = '', about, isSecret }) => {
      const fallback = defaultOf(schema);
      return [
        code(name),
        fallback === undefined ? '' : code(String(fallback)),
        range,
        `${linked(about)}${isSecret ? `; or ${code(fileVariable(name))}` : ''}`,
      ];
    }),
  );
}

export function operatorTable(operations: readonly Operation[]): string {
  return table(
    ['Operation', 'Route', 'What it does'],
    operations
      .filter(({ auth }) => auth === 'operator')
      .map(({ name, method, path, summary }) => [code(name), code(`${method} ${path}`), summary]),
  );
}

export function operationReference(operations: readonly Operation[]): string {
  const sections = operations.map((op) => `## ${op.name}\n\n${operationFacts(op, operationPath(op))}`);
  return ['# All operations', REFERENCE_INTRODUCTION, ...sections].join('\n\n').concat('\n');
}

const REFERENCE_INTRODUCTION = `The service computes this chapter from its own table of operations. Properties that are not in the path belong in the query of a
GET or the body of a POST. The route links to the page of the operation: requests in curl, Python and JavaScript, and a response.

Every operation can return \`invalid_request\` and \`unavailable\`, and every POST \`too_large\`. Operations of class \`signed\` and
\`operator\` can return \`unauthorized\`. Their writes and previews can also return \`forbidden\`. Writes that charge an allowance, and
previews, can return \`rate_limited\`. Each operation lists its further errors.`;

/** The facts of an operation. With `page`, the short form with a link to that page. */
export function operationFacts(op: Operation, page?: string): string {
  const tools = mcpToolsOf(op).map(({ name }) => code(name));
  const route = code(`${op.method} ${op.path}`);
  const charged = chargedCounter(op);
  const facts = [
    page === undefined ? route : `[${route}](${page}.md)`,
    op.auth,
    `returns ${[op.status, ...otherStatusesOf(op), ...(op.kind === 'read' && op.pendingSeconds ? [202] : [])].join(' or ')}`,
    ...(charged === null ? [] : [`charges ${code(charged)}`]),
    ...(page === undefined && op.method === 'POST'
      ? [`body at most ${maxBodyBytesOf(op).toLocaleString('en')} bytes`]
      : []),
    ...(tools.length > 0 ? [`MCP ${tools.join(', ')}`] : ['no MCP tool']),
  ];
  const inputs = inputsOf(op);
  const [taken, errors] = page === undefined ? [inputTable(inputs), allErrors(op)] : [inputList(inputs), ownErrors(op)];
  return [facts.join(' · '), op.summary, taken, ...errors].join('\n\n');
}

/** All errors of an operation with the sentences of hints (docs/errors#hints). */
function allErrors(op: Operation): string[] {
  const tokens = possibleErrors(op);
  const told = tokens.map(
    (token) => `- ${code(token)}: ${op.refusals?.[token as keyof Refusals] ?? recoveryOf(token)}`,
  );
  return ['Errors and their remedies:', told.join('\n')];
}

/** The general advice for `not_found` is about wrong routes. */
const recoveryOf = (token: ErrorToken): string => (token === 'not_found' ? NOT_THERE : ERROR_GUIDE[token].recover);

function ownErrors(op: Operation): string[] {
  const implied = impliedErrors(op);
  const own = declaredErrors(op).filter((token) => !implied.includes(token));
  return own.length === 0 ? [] : [`Further errors: ${own.map(code).join(', ')}.`];
}

const inputTable = (inputs: readonly (readonly string[])[]): string =>
  inputs.length === 0 ? NO_INPUT : table(['Property', 'Form', 'What it is'], inputs);

/** Without the headers of a table, because a chapter has eighty of these lists. */
const inputList = (inputs: readonly (readonly string[])[]): string =>
  inputs.length === 0 ? NO_INPUT : inputs.map(([name, form, what]) => `- ${name} (${form}) ${what}`).join('\n');

const NO_INPUT = 'Takes nothing.';

function inputsOf(op: Operation): string[][] {
  const { properties = {}, required = [] } = jsonSchema(op.input) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const inPath: string[] = pathParameters(op.path);
  const needOf = (name: string) => (inPath.includes(name) ? 'path, ' : required.includes(name) ? 'required, ' : '');
  return Object.entries(properties).map(([name, property]) => [
    op.mcpNames?.[name] ? `${code(name)} (MCP: ${code(op.mcpNames[name])})` : code(name),
    needOf(name) + formOf(op.method === 'GET' ? withoutNull(property) : property),
    String(property.description),
  ]);
}

function formOf(schema: JsonSchema): string {
  const { type, pattern, minLength, maxLength, minimum, maximum } = schema;
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(String(value))).join(', ');
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((each) => formOf(each as JsonSchema)).join(' or ');
  const name = Array.isArray(type) ? type.join(' or ') : String(type ?? 'any JSON');
  if (typeof pattern === 'string') return code(pattern);
  if (type === 'array') return listFormOf(schema);
  const [low, high] = type === 'string' ? [minLength, maxLength] : [minimum, maximum];
  const range =
    schema.exclusiveMinimum === undefined
      ? ` ${low ?? ''}-${high}`
      : ` above ${schema.exclusiveMinimum}, at most ${high}`;
  return `${name}${high === undefined ? '' : range}${schema.default === undefined ? '' : `, default ${schema.default}`}`;
}

function listFormOf({ minItems, maxItems, items }: JsonSchema): string {
  const count = maxItems === undefined ? '' : `, ${minItems ?? 0}-${maxItems} of them`;
  const form = formOf((items ?? {}) as JsonSchema);
  return form.startsWith('`') ? `array of ${form}${count}` : `array${count}`;
}
