import assert from 'node:assert/strict';
import { nameOf } from '../../src/web/text/nameOf.ts';

describe('a name as a page shows it', () => {
  it('is itself, and the handle where nothing would be seen of it', () => {
    assert.equal(nameOf(' Ada ', 'ada'), ' Ada ');
    assert.equal(nameOf(' \u2003', 'ada'), 'ada');
  });
});
