import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readIfPresent, writePrivateFile } from './files.ts';

export interface Secrets {
  postgresPassword: string;
  redisPassword: string;
  cursorSecret: string;
}

/** The random secrets kept beside the data (mode 0600), made on the first call. */
export async function loadSecrets(directory: string): Promise<Secrets> {
  const path = join(directory, 'secrets.json');
  const text = await readIfPresent(path);
  if (text !== undefined) return JSON.parse(text) as Secrets;
  const secrets = { postgresPassword: random(), redisPassword: random(), cursorSecret: random() };
  writePrivateFile(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** Hexadecimal, so that it needs no escaping in a URL or a configuration file. */
function random(): string {
  return randomBytes(24).toString('hex');
}
