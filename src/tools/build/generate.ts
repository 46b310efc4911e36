// `npm run generate`: writes computed sources and documents. Tests fail if one is not current.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERATIONS } from '../../operations.ts';
import { clientExports, clientPage } from './clientPage.ts';
import { clientSource } from './clientSource.ts';
import { commandLinePage } from './commandLinePage.ts';
import { docIndex } from './docIndex.ts';
import { pythonPackage, pythonPage } from './pythonPage.ts';
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

await write({
  ...clientSource(OPERATIONS),
  ...pythonSource(OPERATIONS),
  'src/platform/postgres/generated/tables.ts': await tablesSource(),
});
// These describe the files above.
const python = pythonPackage(root);
if (python === undefined) console.log('client-python.md is left unchanged, because there is no python3.');
await write({
  'src/discovery/docs/client-javascript.md': clientPage(clientExports()),
  ...(python && { 'src/discovery/docs/client-python.md': pythonPage(python, OPERATIONS) }),
  'src/discovery/docs/command-line.md': commandLinePage(),
});
await write({
  'src/INDEX.md': await docIndex(root),
  'docs/SETTINGS.md': withSettings(await readFile(join(root, 'docs/SETTINGS.md'), 'utf8')),
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
