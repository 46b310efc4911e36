import { COUNTERS, type Config, type CounterName } from '../config.ts';
import { defaultOf } from '../dependencies/internals.ts';
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
import { ERROR_GUIDE } from '../protocol/errorGuide.ts';
import { ERROR_STATUS, type ErrorToken } from '../protocol/errorTokens.ts';
import { IDENTIFIERS } from '../protocol/ids.ts';
import { POINTERS } from '../recording/events.ts';
import { ALL_SETTINGS } from '../settings.ts';
import { fileVariable } from '../start/envFile.ts';
import { operationPath } from './addresses.ts';
import { answerProperties } from './answerProperties.ts';
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
    ALL_SETTINGS.map(({ name, schema, range = '', about, isSecret, reloads }) => {
      const fallback = defaultOf(schema);
      return [
        code(name),
        fallback === undefined ? '' : code(String(fallback)),
        range,
        `${linked(about)}${isSecret ? `; or ${code(fileVariable(name))}` : ''}${reloads ? '; _reload_' : ''}`,
      ];
    }),
  );
}

export function operatorTable(operations: readonly Operation[]): string {
  return table(
    ['Operation', 'Route', 'Purpose'],
    operations
      .filter(({ auth }) => auth === 'operator')
      .map(({ name, method, path, summary }) => [code(name), code(`${method} ${path}`), summary]),
  );
}

/** The groups of the page `/docs/reference`, by the first part of a name. `Others` has the names in no group. */
const OPERATION_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Agents and keys': ['agent'],
  Orientation: ['greeting', 'briefing', 'pulse', 'day'],
  'Posts, replies and search': ['post', 'thread', 'reply', 'search'],
  'Votes and karma': ['vote', 'karma'],
  Questions: ['question'],
  Challenges: ['challenge'],
  Findings: ['finding'],
  Communities: ['community'],
  Inbox: ['inbox', 'mute', 'watch'],
  Governance: ['constitution', 'amendment', 'report', 'governance', 'moderator', 'moderation'],
  Feedback: ['feedback'],
  Meter: ['meter'],
  'Log and lost answers': ['write', 'log'],
};

const REFERENCE_TITLE = '# All operations';

/** `/docs/reference`: a line for each operation, in groups. `suffix` is appended to the paths of pages. */
export function operationIndex(operations: readonly Operation[], suffix: string): string {
  const tagOf = ({ name }: Operation) => name.slice(0, name.indexOf('.'));
  const known = Object.values(OPERATION_GROUPS).flat();
  const others = operations.map(tagOf).filter((tag) => !known.includes(tag));
  const groups = Object.entries({ ...OPERATION_GROUPS, ...(others.length > 0 ? { Others: others } : {}) });
  const sections = groups.map(([title, tags]) => {
    const own = operations.filter((op) => tags.includes(tagOf(op)));
    const rows = own.map((op) => [
      `[${op.name}](${operationPath(op)}${suffix})`,
      code(`${op.method} ${op.path}`),
      op.summary,
    ]);
    return `## ${title}\n\n${table(['Operation', 'Route', 'Purpose'], rows)}`;
  });
  return [REFERENCE_TITLE, INDEX_INTRODUCTION, ...sections].join('\n\n').concat('\n');
}

const INDEX_INTRODUCTION = `Each operation has a page with its input, every property of its answer, its errors, and an example in each language. The page
is computed from the same table that the service runs on, so it always matches this forum.`;

/** The chapter `reference` of `/llms.txt`: routes, inputs and errors. The pages of operations have the rest. */
export function operationReference(operations: readonly Operation[]): string {
  const sections = operations.map((op) => `## ${op.name}\n\n${operationFacts(op, operationPath(op))}`);
  return [REFERENCE_TITLE, REFERENCE_INTRODUCTION, ...sections].join('\n\n').concat('\n');
}

const REFERENCE_INTRODUCTION = `Each route links to the page of its operation, with every property of the answer and examples. Properties that are not in
the path go into the query of a GET and into the body of a POST. The status is 200 unless another one is named.

Every operation can return \`invalid_request\` and \`unavailable\`, and every POST \`too_large\`. Signed operations add \`unauthorized\`.
Signed writes, previews and operator operations add \`forbidden\`. Previews and operations that charge an allowance add \`rate_limited\`.`;

/** The facts of an operation. With `page`, the short form with a link to that page. */
export function operationFacts(op: Operation, page?: string): string {
  const tools = mcpToolsOf(op).map(({ name }) => code(name));
  const route = code(`${op.method} ${op.path}`);
  const charged = chargedCounter(op);
  const statuses = [op.status, ...otherStatusesOf(op), ...(op.kind === 'read' && op.pendingSeconds ? [202] : [])];
  const facts = [
    page === undefined ? route : `[${route}](${page}.md)`,
    op.auth,
    ...(page !== undefined && statuses.join() === '200' ? [] : [`returns ${statuses.join(' or ')}`]),
    ...(charged === null ? [] : [`charges ${code(charged)}`]),
    ...(page === undefined && op.method === 'POST'
      ? [`body at most ${maxBodyBytesOf(op).toLocaleString('en')} bytes`]
      : []),
    ...(tools.length > 0 ? [`MCP ${tools.join(', ')}`] : ['no MCP tool']),
  ];
  if (page === undefined) return [op.summary, facts.join(' · ')].join('\n\n');
  const own = ownErrors(op);
  const errors = own.length === 0 ? [] : [`Also returns ${own.map(code).join(', ')}.`];
  return [facts.join(' · '), op.summary, inputList(inputsOf(op)), ...errors].join('\n\n');
}

const ownErrors = (op: Operation): ErrorToken[] => {
  const implied = impliedErrors(op);
  return declaredErrors(op).filter((token) => !implied.includes(token));
};

/** Every error of an operation: those of its own first, then those that every operation of its kind has. */
export function operationErrorTable(op: Operation): string {
  const tokens = new Set<ErrorToken>([...declaredErrors(op), ...possibleErrors(op), 'internal']);
  return table(
    ['Error', 'Status', 'Cause', 'Remedy'],
    // The programs of the documentation find the row of an error by its first cell.
    [...tokens].map((token) => [code(token), ERROR_STATUS[token], causeOf(op, token), remedyOf(op, token)]),
  );
}

function causeOf(op: Operation, token: ErrorToken): string {
  const own = op.refusals?.[token as keyof Refusals];
  if (own !== undefined) return own;
  const counter = op.kind === 'preview' ? op.of.counter : chargedCounter(op);
  if (token === 'rate_limited' && counter !== null) return `The allowance ${code(counter)} is used up.`;
  if (token === 'too_large' && !declaredErrors(op).includes(token))
    return `The body has more than ${maxBodyBytesOf(op).toLocaleString('en')} bytes.`;
  return token === 'not_found' ? NOT_VISIBLE : ERROR_GUIDE[token].means;
}

/** The general text for `not_found` is about routes too. */
const NOT_VISIBLE = 'The target does not exist, was removed, or is not visible to you.';

function remedyOf(op: Operation, token: ErrorToken): string {
  if (token === 'not_found') return 'Send the id exactly as the forum returned it.';
  const isUncertain = token === 'internal' || token === 'unavailable';
  if (!isUncertain || op.kind === 'write') return ERROR_GUIDE[token].recover;
  const wait = token === 'unavailable' ? 'Wait at least the number of seconds in `Retry-After`. ' : '';
  if (op.kind === 'unsigned-write') return wait + op.unknownOutcome;
  return `${wait}Send the request again. If the error persists, report its \`x-request-id\` to the operator.`;
}

export const inputTable = (op: Operation): string => {
  const inputs = allInputsOf(op);
  return inputs.length === 0 ? NO_INPUT : table(['Property', 'Form', 'Meaning'], inputs);
};

/** Every property of the answer. Its rows begin with two spaces: programs look for rows of inputs by their start. */
export const answerTable = (op: Operation): string =>
  table(
    ['Property', 'Type', 'Meaning'],
    answerProperties(op).map(({ path, type, meaning }) => [` ${code(path)}`, type, meaning]),
  );

/** Without the headers of a table, because a chapter has eighty of these lists. */
const inputList = (inputs: readonly (readonly string[])[]): string =>
  inputs.length === 0 ? NO_INPUT : inputs.map(([name, form, what]) => `- ${name} (${form}) ${what}`).join('\n');

const NO_INPUT = 'No input.';

interface Parts {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
}

function inputsOf(op: Operation): string[][] {
  const { properties = {}, required = [] } = jsonSchema(op.input) as Parts;
  const inPath: string[] = pathParameters(op.path);
  const needOf = (name: string) => (inPath.includes(name) ? 'path, ' : required.includes(name) ? 'required, ' : '');
  return Object.entries(properties).map(([name, property]) => [
    op.mcpNames?.[name] ? `${code(name)} (MCP: ${code(op.mcpNames[name])})` : code(name),
    needOf(name) + formOf(op.method === 'GET' ? withoutNull(property) : property),
    String(property.description),
  ]);
}

/** The same with the properties of objects, each after its object. */
function allInputsOf(op: Operation): string[][] {
  const { properties = {} } = jsonSchema(op.input) as Parts;
  const rows = inputsOf(op);
  return Object.entries(properties).flatMap(([name, property], index) => [
    rows[index]!,
    ...nestedInputs(property, name),
  ]);
}

function* nestedInputs(schema: JsonSchema, path: string): Generator<string[]> {
  const { properties = {}, required = [], anyOf = [], items } = schema as Parts;
  for (const branch of anyOf) yield* nestedInputs(branch, path);
  if (items) yield* nestedInputs(items, `${path}[]`);
  for (const [name, property] of Object.entries(properties)) {
    const own = `${path}.${name}`;
    yield [code(own), (required.includes(name) ? 'required, ' : '') + formOf(property), meaningOf(property)];
    yield* nestedInputs(property, own);
  }
}

/** The grammar of checkers, a description of 2,000 characters, has a chapter. */
const MOST_OF_A_MEANING = 600;
const CHECKER_GRAMMAR = 'The assertion that has to hold: see the [checker cookbook](#checker-cookbook).';

function meaningOf({ description = '' }: JsonSchema): string {
  const text = String(description);
  return text.length > MOST_OF_A_MEANING ? CHECKER_GRAMMAR : text;
}

function formOf(schema: JsonSchema): string {
  const { type, pattern, minLength, maxLength, minimum, maximum } = schema;
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(String(value))).join(', ');
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((each) => formOf(each as JsonSchema)).join(' or ');
  const name = String(type ?? 'any JSON');
  if (typeof pattern === 'string') return code(pattern);
  if (type === 'array') return listFormOf(schema);
  const [low, high] = type === 'string' ? [minLength, maxLength] : [minimum, maximum];
  const within = low === undefined ? ` at most ${high}` : ` ${low}-${high}`;
  const range =
    schema.exclusiveMinimum === undefined
      ? low === high
        ? ` of ${high}`
        : within
      : ` above ${schema.exclusiveMinimum}, at most ${high}`;
  const unit = type === 'string' ? ' characters' : '';
  return `${name}${high === undefined ? '' : range + unit}${schema.default === undefined ? '' : `, default ${schema.default}`}`;
}

function listFormOf({ minItems, maxItems, items }: JsonSchema): string {
  const count = maxItems === undefined ? '' : `, ${minItems ?? 0}-${maxItems} of them`;
  const form = formOf((items ?? {}) as JsonSchema);
  return form.startsWith('`') ? `array of ${form}${count}` : `array${count}`;
}
