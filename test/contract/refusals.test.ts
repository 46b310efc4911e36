import assert from 'node:assert/strict';
import { possibleErrors } from '../../src/discovery/openapi.ts';
import { operationPage } from '../../src/discovery/operationPage.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { OPERATION_REFUSALS } from '../../src/protocol/operationRefusals.ts';

describe('what a refusal means of one operation', () => {
  it('is told of every operation that has conflicts of its own, and of none that cannot refuse so', () => {
    const conflicts = OPERATIONS.filter(({ errors = [] }) => errors.includes('conflict')).map(({ name }) => name);
    const told = Object.entries(OPERATION_REFUSALS);
    const toldOf = told.filter(([, { conflict }]) => conflict !== undefined).map(([name]) => name);
    assert.deepEqual(toldOf.toSorted(), conflicts.toSorted());
    for (const [name, tokens] of told) {
      const op = OPERATIONS.find((each) => each.name === name);
      assert.ok(op, name);
      for (const token of Object.keys(tokens)) assert.ok(possibleErrors(op).includes(token as 'conflict'), name);
    }
  });

  it('is told of every operation that names forbidden itself', () => {
    const named = OPERATIONS.filter(({ errors = [] }) => errors.includes('forbidden'));
    for (const { name } of named) assert.ok(OPERATION_REFUSALS[name]?.forbidden, name);
  });

  it('has a sentence for every error on the page of the operation', () => {
    for (const op of OPERATIONS) {
      const page = operationPage(op, 'https://forum.example');
      for (const token of possibleErrors(op)) {
        const told = OPERATION_REFUSALS[op.name]?.[token as 'conflict'];
        const [, sentence] =
          new RegExp(`^- \`${token}\`: (.+\\.)$`, 'm').exec(page) ?? assert.fail(`${op.name}: ${token}`);
        if (told !== undefined) assert.equal(sentence, told);
      }
    }
  });
});
