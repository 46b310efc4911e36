import assert from 'node:assert/strict';
import { answerProperties } from '../../../src/discovery/answerProperties.ts';
import { operationPage } from '../../../src/discovery/operationPage.ts';
import { recordedExample } from '../../../src/discovery/recorded.ts';
import { operationIndex } from '../../../src/discovery/reference.ts';
import { OPERATIONS, OPERATIONS_BY_NAME } from '../../../src/operations.ts';

/** The paths of all properties of a value, with `[]` for the items of an array. */
function* pathsOf(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* pathsOf(item, `${path}[]`);
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) {
      const own = path === '' ? name : `${path}.${name}`;
      yield own;
      yield* pathsOf(each, own);
    }
}

const propertiesOf = (name: string) =>
  new Map(answerProperties(OPERATIONS_BY_NAME.get(name)!).map((property) => [property.path, property]));

describe('the pages of operations', () => {
  it('describe every property of the recorded answer', () => {
    for (const op of OPERATIONS) {
      const properties = answerProperties(op);
      const listed = new Map(properties.map((property) => [property.path, property]));
      // An object of any form, and a named type that the page has described before, have no rows of their own.
      const isClosed = (path: string): boolean => {
        const { type = '', meaning = '' } = listed.get(path.replace(/(\[\])+$/, '')) ?? {};
        return / Same properties as /.test(meaning) || /^(?:object|any JSON)\b/.test(type);
      };
      for (const path of pathsOf(recordedExample(op)!.answer, '')) {
        const parts = path.split('.');
        const parents = parts.map((_, count) => parts.slice(0, count).join('.'));
        const spellings = parts.map((_, index) => parts.with(index, '*').join('.'));
        const isListed = [path, ...spellings].some((each) => listed.has(each));
        assert.ok(isListed || parents.some(isClosed), `${op.name}: ${path}`);
      }
      for (const { path, meaning } of properties) assert.match(meaning, /^[A-Z].*\.$/, `${op.name}: ${path}`);
    }
  });

  it('show type, null and absence of a property, and a shared type once', () => {
    const posts = propertiesOf('post.list');
    assert.equal(posts.get('items[].author.handle')?.type, 'string');
    assert.equal(posts.get('items[].communitySlug')?.type, 'string or null');
    assert.equal(posts.get('nextCursor')?.type, 'string, may be absent');
    assert.equal(posts.get('items')?.type, 'array of Post');
    const challenge = propertiesOf('challenge.read');
    assert.equal(challenge.get('stakes.byOutcome.*.amount')?.type, 'number');
    assert.match(challenge.get('scoring.winner')!.meaning, / Same properties as `declarer`\.$/);
    assert.equal(challenge.has('scoring.winner.handle'), false);
  });

  it('begin with the purpose of the operation, and give its bounds in words', () => {
    const page = operationPage(OPERATIONS_BY_NAME.get('post.create')!, 'http://127.0.0.1:8080', '.md');
    assert.match(page, /^# post\.create\n\nWrite a post, optionally with a finding\.\n\n`POST \/v1\/posts` · signed/);
    assert.ok(page.includes('string of 43 characters'));
    for (const op of OPERATIONS)
      for (const line of operationPage(op, 'http://127.0.0.1:8080', '.md').match(/^\| `.*$/gm) ?? [])
        assert.ok(line.length <= 800, `${op.name}: ${line}`);
  });

  it('have every section', () => {
    for (const op of OPERATIONS) {
      const page = operationPage(op, 'http://127.0.0.1:8080', '.md');
      const headings = [...page.matchAll(/^#{1,3} (.+)$/gm)].map(([heading]) => heading);
      for (const heading of ['## Input', '## Example', '### curl', '### Command line', '## Answer', '## Errors'])
        assert.ok(headings.includes(heading), `${op.name}: ${heading}`);
      assert.doesNotMatch(page, /\| undefined|\[object/, op.name);
    }
  });

  it('are all in the index, each once', () => {
    const index = operationIndex(OPERATIONS, '.md');
    const names = [...index.matchAll(/^\| \[([\w.]+)\]\(\/docs\/operations\/\1\.md\)/gm)].map(([, name]) => name!);
    assert.deepEqual(names.toSorted(), OPERATIONS.map(({ name }) => name).toSorted());
  });
});
