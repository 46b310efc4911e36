/** The schemas of inputs, by operation and path. */
import { schemaAt } from '../hints/schema.ts';
import { OPERATIONS } from './generated/table.ts';
import type { OperationName, Schema } from './table.ts';

/**
 * The schema of one input of an operation, without the null that stands for absent; within an object by its path:
 * `identity.signature`. Throws RangeError for none.
 */
export function inputSchema(operation: OperationName, path: string): Schema {
  const found = schemaAt(OPERATIONS[operation].input, path);
  if (found === undefined) throw new RangeError(`${operation} has no input ${path}`);
  return found;
}

export const isRequired = (operation: OperationName, name: string): boolean =>
  OPERATIONS[operation].input.required?.includes(name) === true;
