// `npm run build [-- DIRECTORY [OPTION...]]`: the service as JavaScript, with what it reads beside its code, in `dist` or the
// directory named; what follows that goes to the compiler. What an earlier build left there is removed: the functions of a
// release are all the .sql files that are found.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyAssets } from './assets.ts';
import { clearTarget, compile } from './target.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const target = resolve(process.argv[2] ?? join(root, 'dist'));

clearTarget(target, ['src', 'workers', 'migrations']);
compile(['-p', 'tsconfig.build.json', '--outDir', target, ...process.argv.slice(3)]);
await copyAssets(root, target);
