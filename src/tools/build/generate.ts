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

/**
 * The tables of all migrations, in `migrations/schema.sql`. Statements name their schema (platform/postgres/tables.ts).
 */
async function tablesSource() {
  const schema = await readFile(join(root, 'migrations/schema.sql'), 'utf8');
  const names = [...schema.matchAll(/^CREATE (?:\w+ )*?(?:TABLE|VIEW) (\w+)/gm)].map(([, name]) => `  '${name}',\n`);
  return `// Computed by \`npm run generate\` from migrations/schema.sql.\nexport const TABLES = [\n${names.join('')}] as const;\n`;
}

const written = {
  ...clientSource(OPERATIONS),
  ...pythonSource(OPERATIONS),
  'src/platform/postgres/generated/tables.ts': await tablesSource(),
  'src/INDEX.md': await docIndex(root),
  'docs/SETTINGS.md': withSettings(await readFile(join(root, 'docs/SETTINGS.md'), 'utf8')),
};
for (const [path, text] of Object.entries(written)) {
  await mkdir(join(root, dirname(path)), { recursive: true });
  await writeFile(join(root, path), text);
}
