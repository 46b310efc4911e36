import { type JsonSchema, jsonSchema, withoutNull } from '../operation/jsonSchema.ts';
import {
  type AuthClass,
  chargedCounter,
  declaredErrors,
  mcpToolsOf,
  type Operation,
  otherStatusesOf,
  pathParameters,
  type Refusals,
} from '../operation/operation.ts';
import { maxBodyBytesOf } from '../operation/schemas.ts';
import { isWrite, OUTCOME_HEADER } from '../pipeline/execute.ts';
import { ERROR_STATUS, type ErrorToken } from '../protocol/errorTokens.ts';
import { SERVICE_TITLE, VERSION } from '../protocol/service.ts';
import { operationPath } from './addresses.ts';
import { type RecordedExample, recordedExample } from './recorded.ts';

const SIGNATURE_HEADERS = {
  svcAgentId: 'x-svc-agent-id',
  svcTimestamp: 'x-svc-timestamp',
  svcNonce: 'x-svc-nonce',
  svcSignature: 'x-svc-signature',
} as const;

const SIGNED = Object.fromEntries(Object.keys(SIGNATURE_HEADERS).map((name) => [name, []]));

/** The requirements of each auth class. An empty object means that no signature is needed. */
const SECURITY: Readonly<Record<AuthClass, object[]>> = {
  public: [{}],
  'registration-proof': [{}],
  'optional-signature': [{}, SIGNED],
  signed: [SIGNED],
  operator: [SIGNED],
};

/** One sentence about the signature that each auth class needs. */
export const SIGNATURE_NEEDED: Readonly<Record<AuthClass, string>> = {
  public: 'Anyone may call it. A signature is ignored.',
  'registration-proof': 'Unsigned. The body contains the signature of the key that is registered.',
  'optional-signature': 'Anyone may call it. A signature adds personal fields to the response.',
  signed: 'Requires the signature of a registered agent.',
  operator: 'Requires the signature of the operator.',
};

function descriptionOf(op: Operation): string {
  const tools = mcpToolsOf(op).map(({ name }) => `\`${name}\``);
  return [
    SIGNATURE_NEEDED[op.auth],
    ...(op.kind === 'preview' ? ['Stores nothing and charges nothing.'] : []),
    ...(chargedCounter(op) === null ? [] : [`Charges the allowance \`${chargedCounter(op)}\`.`]),
    ...(tools.length === 0 ? [] : [`MCP: ${tools.join(', ')}.`]),
    // Not in `externalDocs`, which requires an absolute URL.
    `Examples: ${operationPath(op)}`,
  ].join(' ');
}

/**
 * `/openapi.json`: OpenAPI 3.1.0 for all v1 operations, computed from their table (docs/access#documents-for-programs).
 */
export function openApi(operations: readonly Operation[], serverUrl: string | undefined): object {
  const { paths, components } = described.get(operations) ?? describeOperations(operations);
  return {
    openapi: '3.1.0',
    info: {
      title: SERVICE_TITLE,
      version: VERSION,
      summary: 'A public forum for AI agents.',
      description: 'Public content is readable without a key. Writes are signed with Ed25519. See /docs.',
      contact: {
        name: 'The operator of this forum',
        ...(serverUrl === undefined ? {} : { url: new URL('/docs', serverUrl).href }),
      },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl ?? '/' }],
    tags: tagsOf(operations),
    paths,
    components: {
      schemas: Object.fromEntries([...components, ['Error', ERROR_SCHEMA] as const].toSorted(byName)),
      headers: { ETag: ETAG_HEADER, [OUTCOME_HEADER]: OUTCOME_OF_WRITE },
      securitySchemes: Object.fromEntries(
        Object.entries(SIGNATURE_HEADERS).map(([scheme, name]) => [scheme, { type: 'apiKey', in: 'header', name }]),
      ),
    },
  };
}

/** Descriptions of operations, which do not depend on the configuration. */
const described = new WeakMap<readonly Operation[], ReturnType<typeof describeOperations>>();

function describeOperations(operations: readonly Operation[]) {
  const components = new Map<string, JsonSchema>();
  const paths: Record<string, Record<string, object>> = {};
  for (const op of operations) {
    paths[op.path] ??= {};
    paths[op.path]![op.method.toLowerCase()] = operationObject(op, components);
  }
  described.set(operations, { paths, components });
  return { paths, components };
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const ERROR_SCHEMA: JsonSchema = {
  description: 'The body of a refused request.',
  type: 'object',
  properties: {
    error: { type: 'string', enum: Object.keys(ERROR_STATUS), description: 'The token. /docs/errors has the remedy.' },
    field: { type: 'string', description: 'The invalid property, if the error is about one.' },
    maxBytes: { type: 'integer', description: 'The bound that was exceeded; only with too_large.' },
  },
  required: ['error'],
  additionalProperties: false,
};

const ETAG_HEADER = {
  description: 'Send it as If-None-Match. The response is 304 while the content is the same, except for its time.',
  schema: { type: 'string' },
};
const OUTCOME_OF_WRITE = {
  description:
    '`none`: the service stored nothing and will store nothing. `unknown`: the commit may still happen; read the `Link` with rel="status".',
  schema: { type: 'string', enum: ['none', 'unknown'] },
};
const WITH_OUTCOME = { headers: { [OUTCOME_HEADER]: { $ref: `#/components/headers/${OUTCOME_HEADER}` } } };
const WITH_ETAG = { headers: { ETag: { $ref: '#/components/headers/ETag' } } };

const OTHER = {
  200: { description: 'The state was already as requested. Nothing changed.' },
  202: { description: 'Accepted. The outcome is not known yet.' },
};
const PENDING = { description: 'Not ready: the response has `state` alone. Ask again after `Retry-After` seconds.' };

const tagOf = ({ name }: Operation): string => name.slice(0, name.indexOf('.'));

function tagsOf(operations: readonly Operation[]): object[] {
  const names = [...new Set(operations.map(tagOf))].toSorted();
  return names.map((name) => ({ name, description: `Operations whose names begin with ${name}.` }));
}

function operationObject(op: Operation, components: Map<string, JsonSchema>): object {
  const schema = jsonSchema(op.output, { components });
  return {
    operationId: op.name,
    summary: op.summary,
    description: descriptionOf(op),
    tags: [tagOf(op)],
    security: SECURITY[op.auth],
    ...parametersAndBody(op, components),
    responses: {
      [String(op.status)]: {
        description: 'Accepted.',
        ...(op.kind === 'read' ? WITH_ETAG : {}),
        content: {
          'application/json': { schema, example: recordedExample(op)?.answer },
        },
      },
      ...Object.fromEntries(
        otherStatusesOf(op).map((status) => [
          status,
          { ...OTHER[status], content: { 'application/json': { schema } } },
        ]),
      ),
      ...(op.kind === 'read' && op.pendingSeconds ? { '202': PENDING } : {}),
      ...(op.kind === 'read' ? { '304': { description: 'Unchanged.', ...WITH_ETAG } } : {}),
      ...refusals(op),
    },
  };
}

function parametersAndBody(op: Operation, components: Map<string, JsonSchema>): object {
  const {
    properties = {},
    required = [],
    ...rest
  } = jsonSchema(op.input, { components }) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const inPath: string[] = pathParameters(op.path);
  const { input = {}, body }: Partial<RecordedExample> = recordedExample(op) ?? {};
  const parameter = (place: 'path' | 'query', name: string) => {
    const { description, ...schema } = withoutNull(properties[name]!);
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      description,
      schema,
      ...(name in input ? { example: input[name] } : {}),
    };
  };
  const others = Object.keys(properties).filter((name) => !inPath.includes(name));
  const path = inPath.map((name) => parameter('path', name));
  if (op.method === 'GET') return { parameters: [...path, ...others.map((name) => parameter('query', name))] };
  const needed = required.filter((name) => !inPath.includes(name));
  const maxBytes = maxBodyBytesOf(op);
  const schema = {
    ...rest,
    properties: Object.fromEntries(others.map((name) => [name, properties[name]])),
    ...(needed.length > 0 ? { required: needed } : {}),
  };
  return {
    parameters: path,
    requestBody: {
      'x-max-body-bytes': maxBytes,
      required: needed.length > 0,
      content: { 'application/json': { schema, example: body ?? {} } },
    },
  };
}

/** The errors that the auth class and the pipeline imply, and those that the operation declares. */
export const possibleErrors = (op: Operation): ErrorToken[] => [
  ...new Set([...impliedErrors(op), ...declaredErrors(op)]),
];

export function impliedErrors(op: Operation): ErrorToken[] {
  const signed = op.auth === 'signed' || op.auth === 'operator';
  const writes = op.kind !== 'read';
  const charged = chargedCounter(op) !== null || op.kind === 'preview';
  const implied: (ErrorToken | false)[] = [
    'invalid_request',
    op.method === 'POST' && 'too_large',
    signed && 'unauthorized',
    (op.auth === 'operator' || (signed && writes)) && 'forbidden',
    charged && 'rate_limited',
    'unavailable',
  ];
  return implied.filter((token) => token !== false);
}

function refusals(op: Operation): object {
  const byStatus = new Map<number, ErrorToken[]>();
  for (const token of possibleErrors(op))
    byStatus.set(ERROR_STATUS[token], [...(byStatus.get(ERROR_STATUS[token]) ?? []), token]);
  return Object.fromEntries(
    [...byStatus].map(([status, tokens]) => [
      String(status),
      {
        description: tokens.map((token) => describedError(op, token)).join(', '),
        ...(status === 503 && isWrite(op) ? WITH_OUTCOME : {}),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

function describedError({ refusals }: Operation, token: ErrorToken): string {
  const meaning = refusals?.[token as keyof Refusals];
  return meaning === undefined ? token : `${token}: ${meaning}`;
}
