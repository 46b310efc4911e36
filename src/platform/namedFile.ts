import { readFileSync } from 'node:fs';
import { StartupError } from './startupError.ts';

/** The content of a file that a setting names. */
export function readNamedFile(variable: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `${variable} names a file that is not readable (${code}). Correct the path or the permissions`,
    );
  }
}
