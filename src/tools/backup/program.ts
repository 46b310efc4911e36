import { exitWith, ignoreClosedOutput } from '../../platform/startupError.ts';
import { loadEnvFile } from '../../start/envFile.ts';

/** Errors that only a fault of the program throws. */
const FAULTS = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Node throws a TypeError for wrong arguments. */
const isUsage = (error: Error): boolean => String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');

/** Runs a command-line program. Prints only the message of an error unless it is a fault of the program. */
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
