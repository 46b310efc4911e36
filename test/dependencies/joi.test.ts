import assert from 'node:assert/strict';
import Joi from 'joi';
import {
  acceptsUnknown,
  defaultOf,
  describeParts,
  keysOf,
  metasOf,
  presenceOf,
} from '../../src/dependencies/internals.ts';

describe('internal members of Joi', () => {
  const item = Joi.object({ id: Joi.string().required() });
  const schema = Joi.object({ a: Joi.number().default(7), b: Joi.array().items(item).min(1) });

  it('list the properties of objects in their order', () => {
    assert.deepEqual(
      Array.from(keysOf(schema), ({ key, schema: { type } }) => [key, type]),
      [
        ['a', 'number'],
        ['b', 'array'],
      ],
    );
    for (const none of [Joi.object(), Joi.object({}), Joi.string()]) assert.equal(keysOf(none).length, 0);
  });

  it('tell objects that accept unknown properties from closed ones', () => {
    for (const open of [Joi.object(), schema.unknown()]) assert.equal(acceptsUnknown(open), true);
    for (const closed of [schema, Joi.object({}), schema.unknown().unknown(false)])
      assert.equal(acceptsUnknown(closed), false);
  });

  it('list metas, presence and default', () => {
    assert.deepEqual(metasOf(item.meta({ a: 1 }).meta({ b: 2 })), [{ a: 1 }, { b: 2 }]);
    assert.deepEqual(metasOf(item), []);
    assert.deepEqual([item, item.required(), item.optional()].map(presenceOf), [undefined, 'required', 'optional']);
    assert.deepEqual(
      Array.from(keysOf(schema), (key) => defaultOf(key.schema)),
      [7, undefined],
    );
  });

  it('describe a schema part by part as Joi does', () => {
    const describe = (part: Joi.Schema): object => describeParts(part, describe);
    const before = schema.describe();
    for (const each of [schema, schema.unknown().meta({ a: 1 }).allow(null), Joi.object({}), Joi.array(), Joi.any()])
      assert.deepEqual(describe(each), each.describe());
    assert.deepEqual(schema.describe(), before);
  });
});
