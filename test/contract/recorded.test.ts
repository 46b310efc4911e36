import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type Recorded, recordedExample } from '../../src/discovery/recorded.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { recordAnswers } from './support/recording.ts';
import { assertSnapshot } from './support/snapshot.ts';

const KEPT = new URL('../../src/discovery/recorded.json', import.meta.url);

describe('the recorded examples', () => {
  it('are what the service answers', async () => {
    await assertSnapshot('recorded', await recordAnswers(), KEPT);
  });

  it('fit the schemas of their operations, every one', async () => {
    // What was just recorded, where it was.
    const all = JSON.parse(await readFile(KEPT, 'utf8')) as Recorded;
    for (const op of OPERATIONS) {
      const { input, status, answer } = recordedExample(op, all) ?? assert.fail(`${op.name} is not recorded`);
      // A query is text, whatever it is read as.
      assert.equal(op.input.validate(input, { convert: op.method === 'GET' }).error, undefined, op.name);
      assert.equal(op.output.validate(answer).error, undefined, op.name);
      assert.equal(status, op.status);
    }
  });
});
