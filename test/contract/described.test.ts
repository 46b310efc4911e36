import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECKER_GUIDE } from '../../src/checker/index.ts';
import { type JsonSchema, jsonSchema } from '../../src/operation/jsonSchema.ts';
import { mcpToolsOf } from '../../src/operation/operation.ts';
import { OPERATIONS } from '../../src/operations.ts';

/** Every property of a schema at any depth, by its path. */
function* propertiesOf(schema: JsonSchema, path: string): Generator<[path: string, name: string, JsonSchema]> {
  const {
    properties = {},
    items,
    anyOf = [],
    patternProperties = {},
  } = schema as {
    properties?: Record<string, JsonSchema>;
    items?: JsonSchema;
    anyOf?: JsonSchema[];
    patternProperties?: Record<string, JsonSchema>;
  };
  for (const [name, property] of Object.entries(properties)) {
    yield [`${path}.${name}`, name, property];
    yield* propertiesOf(property, `${path}.${name}`);
  }
  if (items) yield* propertiesOf(items, `${path}[]`);
  for (const each of Object.values(patternProperties)) yield* propertiesOf(each, `${path}.*`);
  for (const branch of anyOf) yield* propertiesOf(branch, path);
}

const PROPERTIES = OPERATIONS.flatMap((op) => [
  ...propertiesOf(jsonSchema(op.input), `${op.name} in`),
  ...propertiesOf(jsonSchema(op.output), `${op.name} out`),
  ...mcpToolsOf(op).flatMap(({ name, input, output }) => [
    ...propertiesOf(jsonSchema(input), `${name} in`),
    ...propertiesOf(jsonSchema(output), `${name} out`),
  ]),
]);

describe('descriptions', () => {
  it('every property of every input and output has one, in a sentence of 10 to 200 characters', () => {
    assert.ok(PROPERTIES.length > 2_000, `only ${PROPERTIES.length}`);
    const without = PROPERTIES.filter(([, name, { description }]) => {
      // The whole grammar of checkers is described at the tools that take a program.
      if (description === CHECKER_GUIDE) return false;
      if (typeof description !== 'string' || description.length < 10 || description.length > 200) return true;
      return !/^[A-Z1].*\.$/s.test(description) || description.toLowerCase() === `${name.toLowerCase()}.`;
    });
    assert.deepEqual([...new Set(without.map(([path]) => path))], []);
  });

  it('none is written twice', async () => {
    const files = (await readdir('src', { recursive: true })).filter((name) =>
      /^(?:features|services)\/.*\.ts$/.test(name),
    );
    const written = new Map<string, string>();
    for (const file of files) {
      const text = await readFile(join('src', file), 'utf8');
      for (const [, literal] of text.matchAll(/(?:description\(|: |= )\s*(['`][A-Z][^'`\n]{9,}\.['`])/g)) {
        assert.equal(written.get(literal!), undefined, `${file}: ${literal}`);
        written.set(literal!, file);
      }
    }
    assert.ok(written.size > 200, `only ${written.size}`);
  });
});
