import { inputShape } from '../../../src/http/request.ts';
import type { Operation } from '../../../src/operation/operation.ts';
import type { ExampleRequest } from '../examples.ts';

/** An example as one flat object, as tools and the typed client take it. */
export function flatInput(
  op: Operation,
  { params = {}, query = '', body = {} }: ExampleRequest,
): Record<string, unknown> {
  const { queryTypes } = inputShape(op);
  const pairs = [...new URLSearchParams(query)].map(([name, text]) => {
    const type = queryTypes.get(name);
    if (type === 'number') return [name, Number(text)] as const;
    return [name, type === 'boolean' ? text === 'true' : text] as const;
  });
  return { ...params, ...Object.fromEntries(pairs), ...(body as object) };
}
