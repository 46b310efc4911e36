/** Converts the arguments of a tool to the input of its operation (docs/mcp#calling). */

import { invalid, Refusal } from '../operation/errors.ts';
import type { Operation } from '../operation/operation.ts';
import { fieldOf, maxBodyBytesOf, SPARE_BODY_BYTES, validate } from '../operation/schemas.ts';
import type { BoundTool } from './tools.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Returns the flat input. Arguments have the same size bound as the body of the REST route. */
export function inputOf(bound: BoundTool, given: Arguments, messageBytes: number): object {
  requireSize(bound.op, given, messageBytes);
  const { renamed, narrowed } = bound;
  return narrowed ? validArguments(narrowed, given) : withOwnNames(renamed, given);
}

/** A write keeps the whole message as evidence, so the rest of the message is bounded too. */
function requireSize(op: Operation, given: Arguments, messageBytes: number): void {
  if (op.method === 'GET') return;
  const maxBytes = maxBodyBytesOf(op);
  if (messageBytes <= maxBytes) return;
  const isPadded = op.kind === 'write' && messageBytes > maxBytes + SPARE_BODY_BYTES;
  if (isPadded || Buffer.byteLength(JSON.stringify(given)) > maxBytes) throw new Refusal('too_large', { maxBytes });
}

/** An argument under both names keeps both, so that the schema rejects the alias. */
export function withListedNames({ op: { mcpAliases = {} } }: BoundTool, given: Arguments): Arguments {
  const listed = new Map(Object.entries(mcpAliases).map(([own, alias]) => [alias, own]));
  if (!Object.keys(given).some((name) => listed.has(name))) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const own = listed.get(name);
      return [own === undefined || Object.hasOwn(given, own) ? name : own, value];
    }),
  );
}

function validArguments(schema: NonNullable<BoundTool['narrowed']>, given: Arguments): object {
  const { value, error } = validate(schema, given);
  const first = error?.details[0];
  if (error) throw invalid(fieldOf(first?.path ?? []), first?.type);
  return value;
}

/** Renames arguments to the operation's own names, which MCP callers cannot use. */
function withOwnNames(renamed: BoundTool['renamed'], given: Arguments): object {
  const entries = Object.entries(renamed);
  if (entries.length === 0) return given;
  const hidden = entries.find(([own]) => Object.hasOwn(given, own));
  if (hidden) throw invalid(hidden[0]);
  const back = new Map(entries.map(([own, shown]) => [shown, own]));
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [back.get(name) ?? name, value]));
}
