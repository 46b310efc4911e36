/** The client's view of every operation, generated from the service's operation table. */

import type { RefusingOperation } from '../hints/advice.ts';
import { type Schema, schemaAt } from '../hints/schema.ts';
import type { SubjectType } from '../protocol/subjects.ts';
import type { Method } from './connection.ts';
import { OPERATIONS } from './generated/table.ts';
import type { ForumOperations } from './generated/types.ts';

/** A JSON Schema, as far as the client uses it. */
export type { Schema };

/** The name of an operation, such as `post.create`. */
export type OperationName = keyof ForumOperations;

/** Who may call. The client signs optional signatures whenever it has keys. */
export type Auth = 'public' | 'optional-signature' | 'signed' | 'registration-proof' | 'operator';

/** Where an operation is. Inputs that are not in the path go into the query of a GET or the body of a POST. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly auth: Auth;
  readonly counter: string | null;
}

/** An entry of `OPERATIONS`. */
export interface OperationEntry extends Route, Omit<RefusingOperation, 'auth'> {
  readonly summary: string;
  readonly creates?: SubjectType;
  readonly tool?: string;
  /** Path, query and body properties in one flat object. */
  readonly input: InputSchema;
}

/** The JSON Schema of an input. */
export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties: boolean;
}

export type OperationTable = Readonly<Record<OperationName, OperationEntry>>;

/** Undefined for an operation that is newer than this client. */
export const knownOperation = (name: string): OperationEntry | undefined =>
  Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name as OperationName] : undefined;

/** Without its null branch. `path` may lead into an object: `identity.signature`. */
export function inputSchema(operation: OperationName, path: string): Schema {
  const found = schemaAt(OPERATIONS[operation].input, path);
  if (found === undefined) throw new RangeError(`${operation} has no input ${path}`);
  return found;
}

export const isRequired = (operation: OperationName, name: string): boolean =>
  OPERATIONS[operation].input.required?.includes(name) === true;
