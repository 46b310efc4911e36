import { existsSync } from 'node:fs';
import { exitWith } from '../platform/cannotStart.ts';

/** What only a mistake in the program itself throws. */
const FAULTS = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Runs a program of the command line to its end: what went wrong is told in a line where it is told in words. */
export async function runProgram(main: () => Promise<void>): Promise<void> {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    await main();
  } catch (error) {
    if (!(error instanceof Error) || FAULTS.some((fault) => error instanceof fault)) exitWith(error);
    console.error(error.message);
    process.exit(1);
  }
}
