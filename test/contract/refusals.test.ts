import assert from 'node:assert/strict';
import { possibleErrors } from '../../src/discovery/openapi.ts';
import { operationPage } from '../../src/discovery/operationPage.ts';
import { OPERATIONS } from '../../src/operations.ts';

describe('what a refusal means of one operation', () => {
  it('has a sentence for every error on the page of the operation', () => {
    for (const op of OPERATIONS) {
      const page = operationPage(op, 'https://forum.example');
      for (const token of possibleErrors(op)) {
        const told = op.refusals?.[token as 'conflict'];
        const [, sentence] =
          new RegExp(`^- \`${token}\`: (.+\\.)$`, 'm').exec(page) ?? assert.fail(`${op.name}: ${token}`);
        if (told !== undefined) assert.equal(sentence, told);
      }
    }
  });
});
