import assert from 'node:assert/strict';
import { withNarrowTables } from '../../../src/discovery/pages.ts';

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
});
