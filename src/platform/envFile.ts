import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { CannotStart } from './cannotStart.ts';

const BYTE_ORDER_MARK = /^\uFEFF/;

/**
 * Adds the settings of a file to the environment, where that has none of the name; one that is not there has none. Node's own reader
 * takes a byte order mark, which some editors write, for a part of the first name. Throws `CannotStart` for one that cannot be read.
 */
export function loadEnvFile(path = '.env'): void {
  for (const [name, value] of Object.entries(parseEnv(readText(path).replace(BYTE_ORDER_MARK, ''))))
    process.env[name] ??= value;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new CannotStart(`${path} cannot be read (${code}): correct or remove it.`);
  }
}
