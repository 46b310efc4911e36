// `npm run build [-- DIRECTORY [OPTION...]]`. Removes an earlier build, because a release loads all .sql files that it
// finds.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyAssets } from './assets.ts';
import { clearTarget, compile } from './target.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const target = resolve(process.argv[2] ?? join(root, 'dist'));

clearTarget(target, ['src', 'workers', 'migrations']);
compile(['-p', 'tsconfig.build.json', '--outDir', target, ...process.argv.slice(3)]);
await copyAssets(root, target);
