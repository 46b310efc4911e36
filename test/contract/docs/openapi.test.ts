import assert from 'node:assert/strict';
import { openApi } from '../../../src/discovery/openapi.ts';
import { type JsonSchema, jsonSchema } from '../../../src/operation/jsonSchema.ts';
import { otherStatusesOf } from '../../../src/operation/operation.ts';
import { Joi } from '../../../src/operation/schemas.ts';
import { named, object, omittable } from '../../../src/operation/shape.ts';
import { OPERATIONS } from '../../../src/operations.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is whatever it says
const DOCUMENT = openApi(OPERATIONS, undefined) as any;
const SCHEMAS: Readonly<Record<string, JsonSchema>> = DOCUMENT.components.schemas;
const PREFIX = '#/components/schemas/';

/** The same with every reference replaced by its target. Properties beside the reference win. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as { $ref?: string };
  const own = Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, resolved(each)]));
  return $ref === undefined ? own : { ...(resolved(SCHEMAS[$ref.slice(PREFIX.length)]) as object), ...own };
}

/** Without descriptions of schemas, which a component has of its own; a property may be called so too. */
const silent = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, each) =>
    name === 'description' && typeof each === 'string' ? undefined : each,
  );

const answerOf = (op: (typeof OPERATIONS)[number]): JsonSchema =>
  DOCUMENT.paths[op.path][op.method.toLowerCase()].responses[op.status].content['application/json'].schema;

describe('/openapi.json', () => {
  it('has the types that a client needs, by their names', () => {
    for (const name of ['Post', 'Reply', 'Agent', 'Community', 'Challenge', 'Finding', 'Feedback', 'Thread', 'Karma']) {
      assert.equal(typeof SCHEMAS[name]?.description, 'string', name);
    }
    const { post, replies } = SCHEMAS.Thread!.properties as Record<string, JsonSchema>;
    assert.equal(post!.$ref, `${PREFIX}Post`);
    assert.deepEqual(replies!.items, { $ref: `${PREFIX}Reply` });
    const { author, amendment } = SCHEMAS.Post!.properties as Record<string, JsonSchema>;
    assert.deepEqual(author, { $ref: `${PREFIX}AgentReference`, description: 'The author.' });
    assert.deepEqual(amendment!.anyOf, [{ $ref: `${PREFIX}Amendment` }, { type: 'null' }]);
  });

  it('answers every operation with a named type, which says what the shape says', () => {
    for (const op of OPERATIONS) {
      assert.match(String(answerOf(op).$ref), /^#\/components\/schemas\/\w+$/, op.name);
      assert.deepEqual(silent(resolved(answerOf(op))), silent(jsonSchema(op.output)), op.name);
    }
  });

  it('refers to every component, and to nothing else', () => {
    const { schemas, headers } = DOCUMENT.components;
    const there = Object.entries<object>({ schemas, headers }).flatMap(([kind, each]) =>
      Object.keys(each).map((name) => `#/components/${kind}/${name}`),
    );
    const referred = [...JSON.stringify(DOCUMENT).matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref!);
    assert.deepEqual([...new Set(referred)].toSorted(), there.toSorted());
    for (const name of Object.keys(SCHEMAS)) assert.match(name, /^[A-Z][A-Za-z]+$/);
  });

  it('has every status that a write answers', () => {
    const several = OPERATIONS.flatMap((op) => otherStatusesOf(op).map((status) => ({ op, status })));
    assert.deepEqual(
      several.map(({ op, status }) => `${op.name} ${status}`),
      ['report.create 200', 'governance.enforce 200', 'meter.probe 202'],
    );
    for (const { op, status } of several) {
      const { responses } = DOCUMENT.paths[op.path][op.method.toLowerCase()];
      assert.deepEqual(responses[status].content['application/json'].schema, answerOf(op));
    }
  });

  it('describes every parameter', () => {
    for (const op of OPERATIONS) {
      const { parameters } = DOCUMENT.paths[op.path][op.method.toLowerCase()];
      for (const { name, description, schema } of parameters) {
        assert.ok(description.length >= 10, `${op.name} ${name}`);
        assert.equal(schema.description, undefined);
      }
    }
  });

  it('two different schemas cannot have one name', () => {
    const thing = (key: string) => named('Thing', 'A thing of some kind.', object({ [key]: Joi.string() }));
    const components = new Map<string, JsonSchema>();
    assert.throws(
      () => jsonSchema(object({ a: thing('b'), c: thing('d') }), { components }),
      /two schemas are named Thing/,
    );
    const same = object({ a: thing('b'), c: omittable(thing('b')).description('Another one of them.') });
    assert.deepEqual(jsonSchema(same, { components: new Map() }).properties, {
      a: { $ref: `${PREFIX}Thing` },
      c: { $ref: `${PREFIX}Thing`, description: 'Another one of them.' },
    });
  });
});
