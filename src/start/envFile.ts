import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { readNamedFile } from '../platform/namedFile.ts';
import { StartupError } from '../platform/startupError.ts';

const BYTE_ORDER_MARK = /^\uFEFF/;
/** `npm start` writes the addresses of its own services to this file. */
const OWN_SERVICES = '.forum/env';

/** Adds the settings of a file that are not set yet. Node takes a byte order mark for part of the first name. */
export function loadEnvFile(path = '.env'): void {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(BYTE_ORDER_MARK, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    throw new StartupError(`${path} cannot be read (${code}): correct or remove it.`);
  }
  for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
}

/** The variables of the file that the setting `name` names. */
export const readVariables = (name: string, path: string): NodeJS.Dict<string> =>
  parseEnv(readNamedFile(name, path).toString().replace(BYTE_ORDER_MARK, ''));

/** Loads `.env`, and if no database is set, the addresses of the forum that `npm start` serves here. */
export function loadOwnServices(): void {
  loadEnvFile();
  if (!process.env.DATABASE_URL && !process.env.DATABASE_URL_FILE) loadEnvFile(OWN_SERVICES);
}

export const fileVariable = (name: string): string => `${name}_FILE`;

/** The value of a secret setting, or the content of the file that `NAME_FILE` names. Empty variables count as unset. */
export function readSecret(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const variable = fileVariable(name);
  const path = env[variable];
  if (!path) return env[name] || undefined;
  if (env[name]) throw new StartupError(`${name} and ${variable} are both set. Remove one of them`);
  const text = readNamedFile(variable, path)
    .toString()
    .replace(/\r?\n$/, '');
  if (text === '') throw new StartupError(`${variable} names an empty file. Write the value into it`);
  return text;
}
