/** Internal members of Joi schemas and node-postgres; `test/dependencies` tests each of them. */
import type { Socket } from 'node:net';
import type Joi from 'joi';
import type pg from 'pg';

interface Key {
  readonly key: string;
  readonly schema: Joi.Schema;
}

/** The properties of an object schema; empty for other schemas, and for objects without declared properties. */
export const keysOf = (schema: Joi.Schema): readonly Key[] => schema.$_terms.keys ?? [];

/** True for an object schema that accepts properties that it does not declare. */
export const acceptsUnknown = (schema: Joi.Schema): boolean =>
  schema.$_terms.keys === null || schema.$_getFlag('unknown') === true;

export const metasOf = (schema: Joi.Schema): readonly object[] => schema.$_terms.metas ?? [];

export const presenceOf = (schema: Joi.Schema): string | undefined => schema.$_getFlag('presence');
export const defaultOf = (schema: Joi.Schema): unknown => schema.$_getFlag('default');

/** `schema.describe()` with parts by `describe`: Joi would validate each part once at each depth, thrice as slow. */
export function describeParts(schema: Joi.Schema, describe: (part: Joi.Schema) => object): object {
  const keys = keysOf(schema);
  const items: readonly Joi.Schema[] = schema.$_terms.items ?? [];
  if (keys.length + items.length === 0) return schema.describe();
  const bare = (schema as unknown as { clone(): Joi.Schema }).clone();
  if (keys.length > 0) bare.$_terms.keys = null;
  if (items.length > 0) bare.$_terms.items = [];
  return {
    ...bare.describe(),
    ...(keys.length > 0
      ? { keys: Object.fromEntries(keys.map(({ key, schema: part }) => [key, describe(part)])) }
      : {}),
    ...(items.length > 0 ? { items: items.map(describe) } : {}),
  };
}

/** The process id that the server, or a pooler in its place, reported when the session started. */
export const reportedPidOf = (client: pg.ClientBase): number => (client as unknown as { processID: number }).processID;

export const socketOf = (client: pg.ClientBase): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;
