import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readIfPresent, shortPath, writePrivateFile } from './files.ts';

export interface Secrets {
  postgresPassword: string;
  redisPassword: string;
  cursorSecret: string;
}

/** The random secrets kept beside the data (mode 0600), made on the first call. Throws with the ways out where they are damaged. */
export async function loadSecrets(directory: string): Promise<Secrets> {
  const path = join(directory, 'secrets.json');
  const text = await readIfPresent(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error;
    throw new Error(
      `${shortPath(path)} belongs to another user and cannot be read: chown -R $(id -un) ${shortPath(directory)}`,
    );
  });
  if (text !== undefined) return parse(text) ?? unreadable(directory);
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

/** New ones would not be those of the data. */
function unreadable(directory: string): never {
  const folder = shortPath(directory);
  const words = `${NAMES.map((name) => `"${name}": "…"`).join(', ')}`;
  throw new Error(
    `${folder}/secrets.json is empty or damaged, and the data beside it want the passwords that it had. Bring it back from a
backup, or write it anew: {${words}}
with the passwords that stand in the addresses of ${folder}/env, and any 16 letters or more as the last.`,
  );
}

/** Hexadecimal, so that it needs no escaping in a URL or a configuration file. */
function random(): string {
  return randomBytes(24).toString('hex');
}
