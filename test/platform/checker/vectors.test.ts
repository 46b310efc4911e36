import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import { evaluate, parseProgram } from '../../../src/checker/index.ts';
import { refusedAt } from './support/programs.ts';

interface Vector {
  readonly name: string;
  readonly program: unknown;
  readonly refused?: string;
  readonly answers?: readonly { readonly answer: unknown; readonly outcome: string }[];
}

const { outcomes, programs } = JSON.parse(readFileSync('test/vectors/checker.json', 'utf8')) as {
  outcomes: string[];
  programs: Vector[];
};

describe('the vectors of the checker', () => {
  for (const { name, program, refused, answers = [] } of programs) {
    it(name, () => {
      if (refused !== undefined) return assert.throws(() => parseProgram(program, { outcomes }), refusedAt(refused));
      const parsed = parseProgram(program, { outcomes });
      for (const { answer, outcome } of answers) assert.equal(evaluate(parsed, answer).outcome, outcome);
    });
  }
});
