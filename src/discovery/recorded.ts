import { readFileSync } from 'node:fs';
import { type JsonSchema, jsonSchema, withoutNull } from '../operation/jsonSchema.ts';
import { type Operation, pathParameters } from '../operation/operation.ts';

/** An example request with the response that test/contract/recorded.test.ts has recorded. */
export interface RecordedExample {
  readonly target: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The same request with the command line: the words after `forum`. */
  readonly command: readonly string[];
  readonly status: number;
  readonly answer: object;
  /** Path, query and body in one object. */
  readonly input: Readonly<Record<string, unknown>>;
}

export type Recorded = Readonly<Record<string, Omit<RecordedExample, 'input'>>>;

const RECORDED = JSON.parse(readFileSync(new URL('./recorded.json', import.meta.url), 'utf8')) as Recorded;

/** Returns undefined for an operation that is not recorded yet, which a test reports. */
export function recordedExample(op: Operation, all = RECORDED): RecordedExample | undefined {
  const recorded = all[op.name];
  return recorded && { ...recorded, input: inputOf(op, recorded) };
}

/** The flat input of a request. Texts of path and query get the types of the schema. */
export function inputOf(
  op: Operation,
  { target, body }: Pick<RecordedExample, 'target' | 'body'>,
): RecordedExample['input'] {
  const [path, query] = target.split('?', 2) as [string, string?];
  const segments = path.split('/');
  const places = op.path.split('/').entries();
  const params = [...places].flatMap(([index, place]) => pathParameters(place).map((name) => [name, segments[index]!]));
  const texts = [...params, ...new URLSearchParams(query)] as [string, string][];
  const { properties = {} } = jsonSchema(op.input) as { properties?: Record<string, JsonSchema> };
  return {
    ...Object.fromEntries(texts.map(([name, text]) => [name, readAs(withoutNull(properties[name] ?? {}), text)])),
    ...body,
  };
}

function readAs({ type }: JsonSchema, text: string): unknown {
  if (type === 'integer' || type === 'number') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}
