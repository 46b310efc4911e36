import assert from 'node:assert/strict';
import { recordedExample } from '../../src/discovery/recorded.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { recordAnswers } from './support/recording.ts';
import { assertSnapshot } from './support/snapshot.ts';

describe('the recorded examples', () => {
  it('are what the service answers', async () => {
    const kept = new URL('../../src/discovery/recorded.json', import.meta.url);
    await assertSnapshot('recorded', await recordAnswers(), kept);
  });

  it('fit the schemas of their operations, every one', () => {
    for (const op of OPERATIONS) {
      const { input, status, answer } = recordedExample(op) ?? assert.fail(`${op.name} is not recorded`);
      // A query is text, whatever it is read as.
      assert.equal(op.input.validate(input, { convert: op.method === 'GET' }).error, undefined, op.name);
      assert.equal(op.output.validate(answer).error, undefined, op.name);
      assert.equal(status, op.status);
    }
  });
});
