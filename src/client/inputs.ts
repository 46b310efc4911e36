import { isOfKind } from '../hints/accepts.ts';
import { wantedText } from '../hints/wanted.ts';
import { type Arguments, UsageError } from './arguments.ts';
import { handleIn } from './client.ts';
import type { Option, Positional } from './command.ts';
import { inputSchema, isRequired, type OperationName, type Schema } from './table.ts';

const INTEGER = /^\d{1,12}$/;
const NUMBER = /^-?\d{1,12}(\.\d{1,12})?$/;

/** Arguments that name an agent, which people may write as `@ada`. */
const NAMES_AGENT = /^(?:agent|handle)$/;

interface Source {
  readonly operation: OperationName;
  readonly fixed?: object;
  readonly positionals: readonly Positional[];
  readonly options: Readonly<Record<string, Option>>;
}

/** Throws one UsageError for all missing options, bad numbers and values. The forum checks everything else. */
export function inputFrom(
  args: Arguments,
  { operation, fixed, positionals, options }: Source,
): Record<string, unknown> {
  const input: Record<string, unknown> = { ...fixed };
  const problems: string[] = [];
  for (const { shown, input: name, values } of positionals) {
    if (name === undefined) continue;
    const declared = inputSchema(operation, name);
    const schema = values === undefined ? declared : { ...declared, enum: values };
    const text = args.positional(shown);
    input[name] = convert(NAMES_AGENT.test(shown) ? handleIn(text) : text, schema);
    if (schema.enum ? !isOfKind(schema, input[name]) : input[name] === undefined) {
      problems.push(`<${shown}>: ${wantedText(schema)}`);
    }
  }
  for (const [option, declared] of Object.entries(options)) {
    const name = declared.input;
    if (name === undefined) continue;
    const schema = inputSchema(operation, name);
    const given = readValue(args, option, declared, schema);
    const value = given ?? otherwise(declared, input);
    if (given === undefined && isGiven(args, option)) problems.push(`--${option}: ${wantedText(schema)}`);
    else if (value !== undefined) input[name] = value;
    else if (isNeeded(operation, declared)) problems.push(`--${option}: required, ${wantedText(schema)}`);
  }
  if (problems.length > 0) throw new UsageError(problems.join('; '));
  return input;
}

export function isNeeded(operation: OperationName, { input, required, otherwise: fallback, like }: Option): boolean {
  if (input === undefined || fallback !== undefined || like !== undefined) return false;
  return required ?? isRequired(operation, input);
}

const isGiven = (args: Arguments, option: string): boolean => args.text(option) !== undefined;

function readValue(args: Arguments, option: string, { gives, value }: Option, schema: Schema): unknown {
  if (gives !== undefined) return args.flag(option) ? gives : undefined;
  const text = args.text(option);
  return text === undefined ? undefined : convert(value === 'HANDLE' ? handleIn(text) : text, schema);
}

const otherwise = ({ otherwise: fallback, like }: Option, input: Record<string, unknown>): unknown =>
  like === undefined ? fallback : input[like];

function convert(text: string, { type }: Schema): string | number | undefined {
  if (type === 'integer') return INTEGER.test(text) ? Number(text) : undefined;
  if (type === 'number') return NUMBER.test(text) ? Number(text) : undefined;
  return text;
}
