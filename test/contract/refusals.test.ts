import assert from 'node:assert/strict';
import { possibleErrors } from '../../src/discovery/openapi.ts';
import { operationPage } from '../../src/discovery/operationPage.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { ERROR_STATUS } from '../../src/protocol/errorTokens.ts';

describe('the errors of an operation', () => {
  it('have status, cause and remedy on its page', () => {
    for (const op of OPERATIONS) {
      const page = operationPage(op, 'https://forum.example', '.md');
      for (const token of [...possibleErrors(op), 'internal'] as const) {
        const row = new RegExp(`^\\| \`${token}\` \\| (\\d+) \\| (.+\\.) \\| (.+\\.) \\|$`, 'm').exec(page);
        const [, status, cause] = row ?? assert.fail(`${op.name}: ${token}`);
        assert.equal(status, String(ERROR_STATUS[token]));
        const own = op.refusals?.[token as 'conflict'];
        if (own !== undefined) assert.equal(cause, own);
      }
    }
  });
});
