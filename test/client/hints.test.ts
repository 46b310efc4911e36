import assert from 'node:assert/strict';
import { nearest } from '../../src/hints/nearest.ts';
import { patternText } from '../../src/hints/pattern.ts';
import { problemsOf } from '../../src/hints/problems.ts';
import { type Schema, schemaAt } from '../../src/hints/schema.ts';
import { boundsText, wantedText } from '../../src/hints/wanted.ts';

const texts = (schema: Schema, input: unknown): string[] => problemsOf(schema, input).map(({ text }) => text);
const closed = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

describe('sentences of hints', () => {
  it('say patterns in words, and one of no known form as it is', () => {
    assert.equal(patternText('^[a-z0-9-]{3,64}$'), '3 to 64 of a-z, 0-9 and -');
    assert.equal(patternText('^[pr]_[a-z0-9]{25}$'), 'p_ or r_, then 25 of a-z and 0-9');
    assert.equal(patternText('^(no|ag1-[A-Z]{2})$'), 'no, or ag1-, then 2 of A-Z');
    assert.equal(patternText('^\\d{4}-\\d{2}-\\d{2}'), 'digits as 0000-00-00');
    assert.equal(patternText('^a(?=b)$'), 'the form ^a(?=b)$');
  });

  it('say kinds and bounds', () => {
    assert.equal(wantedText({ type: 'integer', minimum: 1, maximum: 20 }), 'a whole number, 1 to 20');
    assert.equal(boundsText({ type: 'number', exclusiveMinimum: 0, maximum: 50 }), 'more than 0, at most 50');
    assert.equal(wantedText({ anyOf: [{ type: 'string', enum: ['a', 'b', 'c'] }, { type: 'null' }] }), 'a, b or c');
    assert.equal(
      wantedText({ anyOf: [{ type: 'string', maxLength: 9 }, { type: 'object' }] }),
      'text, at most 9 characters, or an object',
    );
    assert.equal(
      wantedText({
        type: 'array',
        minItems: 2,
        maxItems: 8,
        uniqueItems: true,
        items: { type: 'string', minLength: 1 },
      }),
      'a list, 2 to 8 items, each not empty, no two alike',
    );
    assert.equal(wantedText({}), 'any JSON');
  });

  it('count code points, and look into lists and objects by path', () => {
    assert.deepEqual(texts({ type: 'string', maxLength: 2 }, '😀😀'), []);
    const schema = closed({ rules: { type: 'array', items: closed({ when: { type: 'boolean' } }, ['when']) } });
    assert.deepEqual(texts(schema, { rules: [{ when: true }, {}, { when: 1 }] }), [
      'rules[1].when: required, true or false',
      'rules[2].when: true or false',
    ]);
    assert.deepEqual(schemaAt(schema, 'rules[2].when'), { type: 'boolean' });
    assert.equal(schemaAt(schema, 'rules.then'), undefined);
  });

  it('are eight at most, however much is sent', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`name${n}`, 1]));
    assert.equal(texts(closed({ title: { type: 'string' } }), many).length, 8);
    const list: Schema = { type: 'array', items: { type: 'string' } };
    assert.equal(
      texts(
        list,
        Array.from({ length: 100_000 }, () => 1),
      ).length,
      8,
    );
  });

  it('repeat no name that field of a refusal would not have', () => {
    const schema = closed({ title: { type: 'string' } });
    assert.deepEqual(texts(schema, { '<b>title</b>': 1 }), ['no such property: there are title']);
    assert.deepEqual(texts(schema, { ['x'.repeat(65)]: 1 }), ['no such property: there are title']);
    assert.deepEqual(texts(schema, JSON.parse('{"__proto__": 1}')), ['no property __proto__: there are title']);
    assert.deepEqual(texts(closed({}), { any: 1 }), ['no property any: there are none']);
  });

  it('find the name that was meant, and none where nothing is like it', () => {
    const names = ['title', 'body', 'bountyStake', 'communitySlug', 'limit', 'create_post'];
    for (const [sent, meant] of [
      ['bounty', 'bountyStake'],
      ['bounty_stake', 'bountyStake'],
      ['BountyStake', 'bountyStake'],
      ['slug', 'communitySlug'],
      ['tilte', 'title'],
      ['bdoy', 'body'],
      ['limits', 'limit'],
      ['post.create', 'create_post'],
      ['content', 'body'],
      ['markdown', 'body'],
      ['group', 'communitySlug'],
      ['write_post', 'create_post'],
      ['colour', undefined],
      ['x', undefined],
      ['', undefined],
      ['x'.repeat(100), undefined],
    ] as const) {
      assert.equal(nearest(sent, names), meant, sent);
    }
  });
});
