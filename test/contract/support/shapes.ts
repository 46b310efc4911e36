import type Joi from 'joi';

type Shape = string | { [name: string]: Shape } | Shape[];

interface Described {
  readonly type: string;
  readonly keys?: Record<string, Described>;
  readonly items?: readonly Described[];
  readonly flags?: { readonly presence?: string; readonly default?: unknown; readonly only?: boolean };
  readonly preferences?: { readonly presence?: string };
  readonly allow?: readonly unknown[];
  readonly rules?: readonly { readonly name: string; readonly args?: Record<string, unknown> }[];
  readonly metas?: readonly Record<string, unknown>[];
}

/** A schema in a form that reads well in a diff: property names to types, `?` behind what may be absent. */
export function shapeOf(schema: Joi.Schema): Shape {
  return shape(schema.describe() as Described, 'optional');
}

function shape(schema: Described, inherited: string): Shape {
  const presence = schema.preferences?.presence ?? inherited;
  if (schema.type === 'array') return (schema.items ?? []).map((item) => shape(item, presence));
  if (!schema.keys) return scalar(schema);
  const entries = Object.entries(schema.keys).map(([name, inner]): [string, Shape] => {
    const isRequired = (inner.flags?.presence ?? presence) === 'required';
    return [`${name}${isRequired ? '' : '?'}${isNullable(inner) ? ' | null' : ''}`, shape(inner, presence)];
  });
  return Object.fromEntries(entries);
}

const isNullable = ({ allow, keys }: Described): boolean => keys !== undefined && allow?.includes(null) === true;

function scalar({ type, flags, allow, rules = [], metas = [] }: Described): string {
  const values = (allow ?? []).map((value) => JSON.stringify(value)).join(' | ');
  const bounds = rules.map(({ name, args }) => (args ? `${name} ${Object.values(args).map(String).join(' ')}` : name));
  // What a schema is called, and how it is shown where bytes are few, changes nothing of what it accepts.
  const keywords = metas.map(({ component: _name, brief: _shown, ...rest }) => rest);
  const lengths = keywords.filter((meta) => Object.keys(meta).length > 0).map((meta) => JSON.stringify(meta));
  const fallback = flags?.default === undefined ? [] : [`default ${JSON.stringify(flags.default)}`];
  const base = flags?.only ? values : [type, values].filter(Boolean).join(' | ');
  return [base, ...bounds, ...lengths, ...fallback].join(', ');
}
