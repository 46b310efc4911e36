import { invalid } from '../operation/errors.ts';
import { type Operation, pathParameters } from '../operation/operation.ts';
import { propertiesOf } from '../operation/schemas.ts';
import { parseIJson } from '../platform/codec/ijson.ts';
import { isFieldName } from '../platform/codec/text.ts';
import { isJsonType } from './body.ts';

/** A number in a query is a plain decimal integer (docs/formats#json-bodies). */
const PLAIN_INTEGER = /^(0|[1-9]\d{0,15})$/;
const EMPTY_OBJECT = Buffer.from('{}');

/** How one operation's flat input is gathered from path, query and body. */
export interface InputShape {
  readonly pathNames: readonly string[];
  /** Query parameters by the JSON type they stand for; empty where the input is a body. */
  readonly queryTypes: ReadonlyMap<string, string>;
}

/** Computes the shape from the declaration: what is not in the path is the query of a GET and the body of a POST. */
export function inputShape(op: Operation): InputShape {
  const pathNames: string[] = pathParameters(op.path);
  const inQuery = op.method === 'GET' ? [...propertiesOf(op.input)].filter(([name]) => !pathNames.includes(name)) : [];
  return { pathNames, queryTypes: new Map(inQuery.map(([name, { type }]) => [name, type ?? 'any'])) };
}

/** A flat input from path and query; unknown and repeated parameters are refused by name (docs/reading). */
export function fromQuery(shape: InputShape, path: Record<string, string>, query: [string, string][]): object {
  const input: Record<string, unknown> = { ...path };
  for (const [name, text] of query) {
    const type = shape.queryTypes.get(name);
    if (type === undefined || Object.hasOwn(input, name)) throw invalid(asField(name));
    input[name] = fromText(text, type);
  }
  return input;
}

/**
 * A flat input from path and JSON body. An absent body and `{}` are the same, and neither needs a `Content-Type`
 * (docs/formats#json-bodies). Closedness is the schema's matter.
 */
export function fromBody(
  shape: InputShape,
  path: Record<string, string>,
  query: [string, string][],
  body: Buffer,
  contentType: string | undefined,
): object {
  if (query.length > 0) throw invalid(asField(query[0]![0]));
  const isEmpty = body.length === 0 || (contentType === undefined && body.equals(EMPTY_OBJECT));
  if (isEmpty) return { ...path };
  if (!isJsonType(contentType)) throw invalid();
  const parsed = parseIJson(body);
  if (!parsed.ok) throw invalid(parsed.field);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid();
  const inPath = shape.pathNames.find((name) => Object.hasOwn(value, name));
  if (inPath !== undefined) throw invalid(inPath);
  // Nobody else has it, and to copy what somebody filled takes longer than all that follows.
  return Object.assign(value, path);
}

const asField = (name: string): string | undefined => (isFieldName(name) ? name : undefined);

/** Query text as the JSON value it stands for; anything else stays text, which the schema then refuses by name. */
function fromText(text: string, type: string): unknown {
  if (type === 'number' && PLAIN_INTEGER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
