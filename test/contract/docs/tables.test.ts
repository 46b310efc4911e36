import assert from 'node:assert/strict';
import { loadConfig } from '../../../src/config.ts';
import { chapters, withNarrowTables } from '../../../src/discovery/pages.ts';
import { OPERATIONS } from '../../../src/operations.ts';

describe('tables of the documentation', () => {
  it('are served without the spaces that align them, and code as it is', () => {
    const source = [
      '| A   | B |',
      '| --- | ------ |',
      '| a   | `b`    |',
      '',
      '```text',
      '| x   | ------ |',
      '```',
      '',
    ];
    const served = ['| A | B |', '| --- | --- |', '| a | `b` |', '', '```text', '| x   | ------ |', '```', ''];
    assert.equal(withNarrowTables(source.join('\n')), served.join('\n'));
  });

  it('name each column', () => {
    const config = loadConfig({ DATABASE_URL: 'postgres://unused', REDIS_URL: 'redis://unused' });
    for (const { name, text } of chapters(OPERATIONS, config))
      for (const [head] of text.matchAll(/^\|.*\|(?=\n\| ?:?-{3})/gm)) assert.doesNotMatch(head, /\|\s*\|/, name);
  });
});
