// `npm run generate`: writes what the clients know of the table. A test tells when it is not current.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERATIONS } from '../operations.ts';
import { clientSource } from './clientSource.ts';
import { pythonSource } from './pythonSource.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

for (const [path, text] of Object.entries({ ...clientSource(OPERATIONS), ...pythonSource(OPERATIONS) })) {
  await mkdir(join(root, dirname(path)), { recursive: true });
  await writeFile(join(root, path), text);
}
