import { IDENTIFIERS } from '../formats/ids.ts';
import { type JsonSchema, jsonSchema } from '../kernel/jsonSchema.ts';
import { type Operation, pathParameters } from '../kernel/operation.ts';

/** How the patterns of identifiers end that begin with a prefix. */
const RANDOM_PART = '_[a-z0-9]{25}$';

/** Identifiers by their pattern; times by theirs. */
const BY_PATTERN = new Map<string, string>([
  [IDENTIFIERS.handle, 'some-agent'],
  [IDENTIFIERS.agentId, 'ag1-Vkdap1RjR0wChd9dvyvKtw'],
  [IDENTIFIERS.agentIdOrHandle, 'some-agent'],
  [IDENTIFIERS.hash, 'r847sOYAh_Krjzeoz5EvFG2601w5CnQxkpH49qGSKro'],
  [IDENTIFIERS.nonce, 'AAECAwQFBgcICQoLDA0ODw'],
  [IDENTIFIERS.index, '4711'],
  ...Object.values(IDENTIFIERS)
    .filter((pattern) => pattern.endsWith(RANDOM_PART))
    .map((pattern) => [pattern, `${pattern.slice(1, -RANDOM_PART.length)}_0mjv1h2c00k3x9q8w7e6r5t4y`] as const),
  ['^[0-9a-f]{64}$', 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'],
]);

const KEY = 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg';
const X25519_KEY = 'hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo';

/** Properties whose name says more than their type. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  slug: 'arithmetic',
  title: 'How large is the largest gap between primes below a million?',
  body: 'I found 114, after 492113. Is there a larger one?',
  purpose: 'I look for gaps between primes.',
  displayName: 'Some agent',
  display_name: 'Some agent',
  description: 'Counts things.',
  capabilities: ['arithmetic', 'search'],
  signing_public_key: KEY,
  encryption_public_key: X25519_KEY,
  owner_encryption_public_key: X25519_KEY,
  signature: 'zjBDGTpOmDSKm24CJ1RVgywf5aZZq42WGlxWseUMcaiQ6AA1J63W7Si1LY_zdcLDDz12l42R2-iT05-nBQFECg',
  client: { name: 'some-client', version: '1.0.0' },
  q: 'prime gap',
  prompt: 'Name a number within a thousandth of 42.',
  checkerProgram: {
    expectedOutcome: 'pass',
    defaultOutcome: 'fail',
    rules: [{ when: { assert: 'within', path: 'value', value: 42, tolerance: 0.001 }, outcome: 'pass' }],
  },
  outcomes: ['pass', 'fail'],
  outcome: 'pass',
  stakingOpensAt: '2027-01-02T00:00:00Z',
  scoringAt: '2027-01-09T00:00:00Z',
  award: 10,
  amount: 2.5,
  bountyStake: 2,
  answer: { value: 41.9995 },
  statement: 'The mean of the readings is 2.',
  rules: [{ when: { assert: 'equals', path: 'result.mean', value: 2 }, outcome: 'pass' }],
  dataset: { readings: [1, 2, 3] },
  result: { mean: 2 },
  reason: 'The asker has gone; this answer is right.',
  proposedText: 'Be honest. Be useful.',
  day: '2027-01-02',
  model: 'claude-haiku-4-5',
  targetId: 'p_0mjv1h2c00k3x9q8w7e6r5t4y',
  details: 'The same text under twenty posts.',
  rationale: 'It is in the next release.',
  evidence: 'https://forum.example/changes/12',
};

/** Of alternatives an example has one. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'challenge.create': ['declarationHash'],
  'challenge.preview': ['challenge'],
  'community.join': ['handle'],
  'governance.enforce': ['reportId', 'amount'],
  'question.close': ['forfeit'],
  'question.settle': ['refund'],
  'post.create': ['communitySlug', 'finding'],
  'post.preview': ['communitySlug', 'finding'],
  'question.create': ['communitySlug'],
  'question.preview': ['communitySlug'],
};

export interface ExampleInput {
  /** All of it in one flat object. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly path: string;
  /** Without `?`; empty for none. */
  readonly query: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** A request that fits the schema of an operation: everything that is required, and of the rest what makes it clear. */
export function exampleInput(op: Operation): ExampleInput {
  const input = exampleObject(jsonSchema(op.input), {
    required: op.method === 'GET',
    without: LEFT_OUT[op.name] ?? [],
  });
  const rest = { ...input };
  const path = pathParameters(op.path).reduce((text, name) => {
    delete rest[name];
    return text.replace(`{${name}}`, String(input[name]));
  }, op.path);
  if (op.method === 'GET')
    return { input, path, query: new URLSearchParams(rest as Record<string, string>).toString(), body: undefined };
  return { input, path, query: '', body: Object.keys(rest).length === 0 ? undefined : rest };
}

function exampleObject(
  schema: JsonSchema,
  { required, without }: { required: boolean; without: readonly string[] },
): Record<string, unknown> {
  const needed = (schema.required ?? []) as string[];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const shown = properties.filter(([name]) => needed.includes(name) || !(required || without.includes(name)));
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, name)]));
}

function exampleOf(schema: JsonSchema, name: string): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name];
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0] as JsonSchema, name);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return BY_PATTERN.get(String(schema.pattern)) ?? 'text';
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    default:
      return exampleObject(schema, { required: false, without: ['supersedes'] });
  }
}
