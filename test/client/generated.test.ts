import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPERATIONS as TABLE } from '../../src/client/generated/table.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { clientSource } from '../../src/tools/build/clientSource.ts';
import { pythonSource } from '../../src/tools/build/pythonSource.ts';
import { TypeWriter } from '../../src/tools/build/typeWriter.ts';

describe('what the clients know of the table', () => {
  it('is current: `npm run generate` writes it', async () => {
    for (const [path, text] of Object.entries({ ...clientSource(OPERATIONS), ...pythonSource(OPERATIONS) })) {
      assert.equal(await readFile(path, 'utf8'), text, `${path} is not: npm run generate`);
    }
  });

  it('has every operation, and nothing of it is written by hand', async () => {
    assert.deepEqual(
      Object.keys(TABLE),
      OPERATIONS.map(({ name }) => name),
    );
    const files = await readdir('src/client', { recursive: true });
    for (const file of files.filter((name) => name.endsWith('.ts') && !name.startsWith('generated'))) {
      const text = await readFile(join('src/client', file), 'utf8');
      const code = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
      assert.doesNotMatch(code, /['"`]\/v1\//, file);
    }
  });
});

describe('types from schemas', () => {
  const author = {
    type: 'object',
    properties: { handle: { type: 'string' }, age: { type: 'integer' } },
    required: ['handle'],
  };
  const reference = { $ref: '#/components/schemas/Author' };
  const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
  const page = {
    type: 'object',
    properties: {
      author: reference,
      editor: nullable(reference),
      items: { type: 'array', items: { anyOf: [reference, { type: 'boolean', enum: [false] }] } },
      any: {},
      free: { type: 'object' },
    },
    required: ['author', 'items', 'any'],
  };

  it('express what is optional, nullable, an enumeration or any value', () => {
    const types = new TypeWriter(new Map());
    assert.equal(types.type({ type: 'string', enum: ['up', 'down'] }, 'sent'), "'up' | 'down'");
    assert.equal(types.type(nullable({ type: 'array', items: { type: 'integer' } }), 'sent'), 'number[] | null');
    assert.equal(types.type({ type: 'array', items: nullable({ type: 'string' }) }, 'sent'), 'Array<string | null>');
    assert.equal(types.type(author, 'received'), '{\n  handle: string;\n  age?: number;\n}');
    assert.equal(types.type(author, 'sent'), '{\n  handle: string;\n  age?: number | undefined;\n}');
    assert.equal(types.type({ type: 'object', properties: {} }, 'sent'), 'object');
  });

  it('declare each component once in each direction', () => {
    const types = new TypeWriter(new Map(Object.entries({ Author: author, Page: page })));
    assert.equal(types.type({ $ref: '#/components/schemas/Page' }, 'received'), 'Page');
    assert.equal(types.type({ $ref: '#/components/schemas/Author' }, 'sent'), 'AuthorInput');
    assert.deepEqual(types.declarations(), [
      'export interface Author {\n  handle: string;\n  age?: number;\n}',
      'export interface AuthorInput {\n  handle: string;\n  age?: number | undefined;\n}',
      [
        'export interface Page {',
        '  author: Author;',
        '  editor?: Author | null;',
        '  items: Array<Author | false>;',
        '  any: unknown;',
        '  free?: Record<string, unknown>;',
        '}',
      ].join('\n'),
    ]);
  });
});
