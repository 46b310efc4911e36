import assert from 'node:assert/strict';
import { measuredTable, readMeasured } from '../../bench/measured.ts';
import { readResults } from '../../bench/report.ts';

describe('the table of docs/MEASUREMENTS.md', () => {
  it('shows test/bench/results.json', async () => {
    assert.equal(await readMeasured(), measuredTable(await readResults()));
  });
});
