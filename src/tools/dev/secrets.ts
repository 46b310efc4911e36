import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readIfPresent, shortPath, writePrivateFile } from './files.ts';

export interface Secrets {
  postgresPassword: string;
  redisPassword: string;
  cursorSecret: string;
}

/**
 * Loads the secrets beside the data (mode 0600), or creates them at the first call. Throws with the remedy if they are
 * damaged.
 */
export async function loadSecrets(directory: string): Promise<Secrets> {
  const path = join(directory, 'secrets.json');
  const text = await readIfPresent(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error;
    throw new Error(
      `${shortPath(path)} belongs to another user and cannot be read: chown -R $(id -un) ${shortPath(directory)}`,
    );
  });
  if (text !== undefined) return parse(text) ?? refuse(directory);
  const secrets = { postgresPassword: random(), redisPassword: random(), cursorSecret: random() };
  writePrivateFile(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

const NAMES = ['postgresPassword', 'redisPassword', 'cursorSecret'] as const satisfies (keyof Secrets)[];

function parse(text: string): Secrets | undefined {
  try {
    const secrets = JSON.parse(text) as Partial<Secrets> | null;
    return NAMES.every((name) => secrets?.[name]) ? (secrets as Secrets) : undefined;
  } catch {
    return undefined;
  }
}

/** Throws, because new secrets would not match the data. */
function refuse(directory: string): never {
  const folder = shortPath(directory);
  const words = `${NAMES.map((name) => `"${name}": "…"`).join(', ')}`;
  throw new Error(
    `${folder}/secrets.json is empty or damaged. The data beside it need the passwords that it contained. Restore it from a
backup, or write it again: {${words}}
with the passwords from the addresses in ${folder}/env, and any 16 letters or more as the last value.`,
  );
}

/** Hexadecimal text needs no escaping in URLs and configuration files. */
const random = (): string => randomBytes(24).toString('hex');
