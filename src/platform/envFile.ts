import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { StartupError } from './startupError.ts';

const BYTE_ORDER_MARK = /^\uFEFF/;

/**
 * Adds the settings of a file to the environment, where that has none of the name; one that is not there has none. Node's own reader
 * takes a byte order mark, which some editors write, for a part of the first name. Throws `StartupError` for one that cannot be read.
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
    throw new StartupError(`${path} cannot be read (${code}): correct or remove it.`);
  }
}

/** Of a secret setting, the variable that names a file with its value. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/**
 * The value of a secret setting: that of its variable, or the content of the file that `NAME_FILE` names, without the line end
 * after it. Empty variables count as unset. Throws `StartupError` where both are set, and where the file cannot be read or is empty.
 */
export function readSecret(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const variable = fileVariable(name);
  const path = env[variable];
  if (!path) return env[name] || undefined;
  if (env[name]) throw new StartupError(`${name} and ${variable} are both set: keep one of them`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new StartupError(`${variable} names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (text === '') throw new StartupError(`${variable} names an empty file`);
  return text;
}
