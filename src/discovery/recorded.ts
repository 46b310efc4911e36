import { readFileSync } from 'node:fs';
import { type Operation, pathParameters } from '../operation/operation.ts';

/** An example request with the response that test/contract/recorded.test.ts has recorded. */
export interface RecordedExample {
  readonly target: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly answer: object;
  /** Path, query and body in one object. Values of path and query are strings. */
  readonly input: Readonly<Record<string, unknown>>;
}

export type Recorded = Readonly<Record<string, Omit<RecordedExample, 'input'>>>;

const RECORDED = JSON.parse(readFileSync(new URL('./recorded.json', import.meta.url), 'utf8')) as Recorded;

/** Returns undefined for an operation that is not recorded yet, which a test reports. */
export function recordedExample(op: Operation, all = RECORDED): RecordedExample | undefined {
  const recorded = all[op.name];
  if (recorded === undefined) return undefined;
  const [path, query] = recorded.target.split('?', 2) as [string, string?];
  const segments = path.split('/');
  const places = op.path.split('/').entries();
  const params = [...places].flatMap(([index, place]) => pathParameters(place).map((name) => [name, segments[index]!]));
  return {
    ...recorded,
    input: { ...Object.fromEntries(params), ...Object.fromEntries(new URLSearchParams(query)), ...recorded.body },
  };
}
