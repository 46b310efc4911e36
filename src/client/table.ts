/** What the client knows of every operation: computed from the service's own table into `generated/`. */

import type { RefusingOperation } from '../hints/advice.ts';
import type { Schema } from '../hints/schema.ts';
import type { SubjectType } from '../protocol/subjects.ts';
import type { Method } from './connection.ts';
import { OPERATIONS } from './generated/table.ts';
import type { ForumOperations } from './generated/types.ts';

export type { Schema };

export type OperationName = keyof ForumOperations;

/** Who may call; optional signatures are given whenever there are keys. */
export type Auth = 'public' | 'optional-signature' | 'signed' | 'registration-proof' | 'operator';

/** Where an operation is and who may call it. What is not in the path is the query of a GET and the body of a POST. */
export interface Route {
  readonly method: Method;
  /** With parameters in braces. */
  readonly path: string;
  readonly auth: Auth;
  /** The allowance that it charges. */
  readonly counter: string | null;
}

export interface OperationEntry extends Route, Omit<RefusingOperation, 'auth'> {
  readonly summary: string;
  /** What the write creates. */
  readonly creates?: SubjectType;
  /** The MCP tool that asks for such a write. */
  readonly tool?: string;
  /** Path, query and body properties in one flat object. */
  readonly input: InputSchema;
}

export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties: boolean;
}

export type OperationTable = Readonly<Record<OperationName, OperationEntry>>;

/** The entry of an operation; undefined for a name that this client was not built with. */
export const knownOperation = (name: string): OperationEntry | undefined =>
  Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name as OperationName] : undefined;
