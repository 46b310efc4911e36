/** Schemas from which TypeScript derives the type: `type Post = Static<typeof POST>`. */
import type BaseJoi from 'joi';
import { metasOf } from '../dependencies/internals.ts';
import { closed, Joi, requireKeys } from './schemas.ts';

declare const VALUE: unique symbol;
declare const BASE: unique symbol;
declare const OMITTED: unique symbol;

export interface TypeInfo<Value, Base> {
  readonly [VALUE]: Value;
  readonly [BASE]: Base;
}

/** A Joi schema of the kind `Base` together with the type of what it accepts. */
export type Shape<Value, Base extends BaseJoi.Schema = BaseJoi.Schema> = Base & TypeInfo<Value, Base>;

export interface Omitted {
  readonly [OMITTED]: true;
}

/** The type that a schema accepts; `never` if it is unknown. */
export type Static<S> =
  S extends TypeInfo<infer Value, unknown>
    ? Value
    : S extends BaseJoi.StringSchema
      ? string
      : S extends BaseJoi.NumberSchema
        ? number
        : S extends BaseJoi.BooleanSchema
          ? boolean
          : S extends BaseJoi.ObjectSchema<infer Value>
            ? Value
            : never;

type BaseOf<S> = S extends TypeInfo<unknown, infer Base extends BaseJoi.Schema> ? Base : S;

type Keys = Readonly<Record<string, BaseJoi.Schema>>;
type Omittable<K extends Keys> = { [Name in keyof K]: K[Name] extends Omitted ? Name : never }[keyof K];
type Members<K extends Keys> = {
  [Name in Exclude<keyof K, Omittable<K>>]: Static<K[Name]>;
} & { [Name in Omittable<K>]?: Static<K[Name]> };
/** One object type instead of an intersection. */
type Flat<T> = { [Name in keyof T]: T[Name] };

/** A closed object; its properties are required unless they are `omittable`. */
export const object = <const K extends Keys>(keys: K): BaseJoi.ObjectSchema<Flat<Members<K>>> =>
  closed(keys as never) as BaseJoi.ObjectSchema<Flat<Members<K>>>;

export const extend = <Value extends object, const K extends Keys>(base: BaseJoi.ObjectSchema<Value>, keys: K) => {
  const extended = base.keys(requireKeys(keys));
  // The name stands for the schema before.
  const nameless = nameOf(base) === undefined ? extended : extended.meta({ component: null });
  return nameless as unknown as BaseJoi.ObjectSchema<Flat<Omit<Value, keyof K> & Members<K>>>;
};

export interface Component {
  readonly name: string;
  readonly description: string;
}

export const named = <S extends BaseJoi.Schema>(name: string, description: string, schema: S): S =>
  schema.description(description).meta({ component: { name, description } satisfies Component }) as S;

export const namedObject = <const K extends Keys>(name: string, description: string, keys: K) =>
  named(name, description, object(keys));

export const nameOf = (schema: BaseJoi.Schema): string | undefined => componentOf(schema)?.name;

export const renamed = <S extends BaseJoi.Schema>(schema: S, rename: (name: string) => string): S => {
  const component = componentOf(schema);
  return component === undefined ? schema : named(rename(component.name), component.description, schema);
};

function componentOf(schema: BaseJoi.Schema): Component | undefined {
  const metas: readonly { readonly component?: Component | null }[] = metasOf(schema);
  return metas.findLast((meta) => 'component' in meta)?.component ?? undefined;
}

export const recordOf = <S extends BaseJoi.Schema>(names: RegExp, item: S) =>
  Joi.object().pattern(names, item) as unknown as Shape<Record<string, Static<S>>, BaseJoi.ObjectSchema>;

export const anyJson = () => Joi.any() as unknown as Shape<unknown, BaseJoi.AnySchema>;

export const only = <const Value extends boolean>(value: Value): Shape<Value, BaseJoi.BooleanSchema> =>
  Joi.boolean().valid(value) as Shape<Value, BaseJoi.BooleanSchema>;

export const oneOf = <const Value extends string>(...values: readonly Value[]): Shape<Value, BaseJoi.StringSchema> =>
  Joi.string().valid(...values) as Shape<Value, BaseJoi.StringSchema>;

export const listOf = <S extends BaseJoi.Schema>(item: S): Shape<Static<S>[], BaseJoi.ArraySchema> =>
  Joi.array().items(item) as Shape<Static<S>[], BaseJoi.ArraySchema>;

export const either = <S extends BaseJoi.Schema[]>(...schemas: S) =>
  Joi.alternatives(...schemas) as Shape<Static<S[number]>, BaseJoi.AlternativesSchema>;

export const nullable = <S extends BaseJoi.Schema>(schema: S) =>
  schema.allow(null) as unknown as Shape<Static<S> | null, BaseOf<S> & BaseJoi.Schema>;

/** A property that may be left out. In a body, where null means the same, use `optional`. */
export const omittable = <S extends BaseJoi.Schema>(schema: S): S & Omitted => schema.optional() as S & Omitted;
