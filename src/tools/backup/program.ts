import { loadEnvFile } from '../../platform/envFile.ts';
import { exitWith, ignoreClosedOutput } from '../../platform/startupError.ts';

/** What only a mistake in the program itself throws. */
const FAULTS = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Of the command line, which Node throws as a TypeError. */
const isUsage = (error: Error): boolean => String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');

/** Runs a program of the command line to its end: what went wrong is told in a line where it is told in words. */
export async function runProgram(main: () => Promise<void>): Promise<void> {
  ignoreClosedOutput();
  try {
    loadEnvFile();
    await main();
  } catch (error) {
    if (!(error instanceof Error)) exitWith(error);
    if (!isUsage(error) && FAULTS.some((fault) => error instanceof fault)) exitWith(error);
    console.error(error.message);
    process.exit(1);
  }
}
