/**
 * Schemas from which the compiler reads what they accept: `type Post = Static<typeof POST>`. Joi's own types know strings,
 * numbers, booleans and objects; what they leave out (enumerations, null, absence, items) is told here.
 */
import type BaseJoi from 'joi';
import { closed, Joi } from './schemas.ts';

declare const VALUE: unique symbol;
declare const BASE: unique symbol;

/** What a schema accepts, and the schema without that; for the compiler alone. */
interface Told<Value, Base> {
  readonly [VALUE]: Value;
  readonly [BASE]: Base;
}

/** A Joi schema of the kind `Base` together with the type of what it accepts. */
export type Shape<Value, Base extends BaseJoi.Schema = BaseJoi.Schema> = Base & Told<Value, Base>;

/** The type of what a schema accepts; never where nothing tells it. */
export type Static<S> =
  S extends Told<infer Value, unknown>
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

type BaseOf<S> = S extends Told<unknown, infer Base extends BaseJoi.Schema> ? Base : S;

type Keys = Readonly<Record<string, BaseJoi.Schema>>;
type Omittable<K extends Keys> = { [Name in keyof K]: undefined extends Static<K[Name]> ? Name : never }[keyof K];
type Members<K extends Keys> = {
  [Name in Exclude<keyof K, Omittable<K>>]: Static<K[Name]>;
} & { [Name in Omittable<K>]?: Exclude<Static<K[Name]>, undefined> };
/** One object type in place of an intersection. */
type Flat<T> = { [Name in keyof T]: T[Name] };

/** A closed object; its properties are required unless they are `omittable`. */
export const object = <const K extends Keys>(keys: K): BaseJoi.ObjectSchema<Flat<Members<K>>> =>
  closed(keys as never) as BaseJoi.ObjectSchema<Flat<Members<K>>>;

/** One of a few texts. */
export const oneOf = <const Value extends string>(...values: readonly Value[]): Shape<Value, BaseJoi.StringSchema> =>
  Joi.string().valid(...values) as Shape<Value, BaseJoi.StringSchema>;

export const listOf = <S extends BaseJoi.Schema>(item: S): Shape<Static<S>[], BaseJoi.ArraySchema> =>
  Joi.array().items(item) as Shape<Static<S>[], BaseJoi.ArraySchema>;

export const either = <S extends BaseJoi.Schema[]>(
  ...schemas: S
): Shape<Static<S[number]>, BaseJoi.AlternativesSchema> =>
  Joi.alternatives(...schemas) as Shape<Static<S[number]>, BaseJoi.AlternativesSchema>;

export const nullable = <S extends BaseJoi.Schema>(schema: S) =>
  schema.allow(null) as unknown as Shape<Static<S> | null, BaseOf<S> & BaseJoi.Schema>;

/** A property of an answer that may be left out. (Of an input, where null means the same, it is `optional`.) */
export const omittable = <S extends BaseJoi.Schema>(schema: S) =>
  schema.optional() as unknown as Shape<Static<S> | undefined, BaseOf<S> & BaseJoi.Schema>;
