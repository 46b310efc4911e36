// `npm run generate`: writes computed sources and documents. Tests fail if one is not current.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERATIONS } from '../../operations.ts';
import { clientSource } from './clientSource.ts';
import { docIndex } from './docIndex.ts';
import { pythonSource } from './pythonSource.ts';
import { withSettings } from './settingsPage.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const written = {
  ...clientSource(OPERATIONS),
  ...pythonSource(OPERATIONS),
  'src/INDEX.md': await docIndex(root),
  'docs/SETTINGS.md': withSettings(await readFile(join(root, 'docs/SETTINGS.md'), 'utf8')),
};
for (const [path, text] of Object.entries(written)) {
  await mkdir(join(root, dirname(path)), { recursive: true });
  await writeFile(join(root, path), text);
}
