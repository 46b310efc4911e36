/** From the words of a command line to the inputs of its operation. */
import { type Arguments, UsageError } from './arguments.ts';
import { boundsText, inputSchema, isRequired } from './bounds.ts';
import type { Option, Positional } from './command.ts';
import type { OperationName, Schema } from './table.ts';

const INTEGER = /^\d{1,12}$/;
const NUMBER = /^-?\d{1,12}(\.\d{1,12})?$/;

interface Source {
  readonly operation: OperationName;
  readonly fixed?: object;
  readonly positionals: readonly Positional[];
  readonly options: Readonly<Record<string, Option>>;
}

/**
 * The inputs that are fixed, and those that positional arguments and options stand for. Throws UsageError for one that is missing, a number that is
 * none, and a positional argument that is none of its enumeration; everything else is the forum's to judge.
 */
export function inputFrom(
  args: Arguments,
  { operation, fixed, positionals, options }: Source,
): Record<string, unknown> {
  const input: Record<string, unknown> = { ...fixed };
  for (const { shown, input: name } of positionals) {
    if (name !== undefined) input[name] = chosen(args.positional(shown), inputSchema(operation, name), shown);
  }
  for (const [option, declared] of Object.entries(options)) {
    const name = declared.input;
    if (name === undefined) continue;
    const value = readValue(args, option, declared, inputSchema(operation, name)) ?? otherwise(declared, input);
    if (value === undefined && isNeeded(operation, declared)) throw new UsageError(`--${option} is required`);
    if (value !== undefined) input[name] = value;
  }
  return input;
}

/** Whether the command cannot do without the option. */
export function isNeeded(operation: OperationName, { input, required, otherwise: fallback, like }: Option): boolean {
  if (input === undefined || fallback !== undefined || like !== undefined) return false;
  return required ?? isRequired(operation, input);
}

function readValue(args: Arguments, option: string, { gives }: Option, schema: Schema): unknown {
  if (gives !== undefined) return args.flag(option) ? gives : undefined;
  const text = args.text(option);
  return text === undefined ? undefined : convert(text, schema, `--${option}`);
}

const otherwise = ({ otherwise: fallback, like }: Option, input: Record<string, unknown>): unknown =>
  like === undefined ? fallback : input[like];

function chosen(text: string, schema: Schema, name: string): unknown {
  if (schema.enum && !schema.enum.includes(text)) throw new UsageError(`<${name}> is ${boundsText(schema)}`);
  return convert(text, schema, `<${name}>`);
}

function convert(text: string, { type }: Schema, name: string): string | number {
  if (type === 'integer' && !INTEGER.test(text)) throw new UsageError(`${name} takes a whole number`);
  if (type === 'number' && !NUMBER.test(text)) throw new UsageError(`${name} takes a number like -2.5`);
  return type === 'integer' || type === 'number' ? Number(text) : text;
}
