import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** What a process of another folder imports to run TypeScript; `import.meta.resolve` is not there in what mocha requires. */
export const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
