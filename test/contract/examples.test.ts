import assert from 'node:assert/strict';
import { OPERATIONS } from '../../src/operations.ts';
import { exampleOf, sendExample, startWorld, type World, waysToSend } from './examples.ts';

describe('every operation', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.forum.stop());

  for (const op of OPERATIONS) {
    it(`${op.name} answers ${op.status} as its schema says`, async () => {
      const request = await exampleOf(op, world);
      for (const isSigned of waysToSend(op)) {
        const answer = await sendExample(
          op,
          request,
          op.auth === 'operator' ? world.forum.operator : world.ada,
          isSigned,
        );
        assert.equal(answer.status, op.status, JSON.stringify(answer.body));
        assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
        assert.equal(op.output.validate(answer.body).error, undefined);
      }
    });
  }
});
