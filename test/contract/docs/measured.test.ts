import assert from 'node:assert/strict';
import { measuredTable, readMeasured } from '../../bench/measured.ts';
import { readResults } from '../../bench/report.ts';

describe('the measured table of the README', () => {
  it('is that of the results', async () => {
    assert.equal(await readMeasured(), measuredTable(await readResults()));
  });
});
