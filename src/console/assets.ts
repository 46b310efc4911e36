import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundle } from '../web/assets.ts';

/** The files of the console's pages, by the name in their address, with the source that the build bundles. */
export const CONSOLE_ASSETS = {
  'console.css': { source: 'console.css', type: 'text/css; charset=utf-8' },
  'console.js': { source: 'browser/console.ts', type: 'text/javascript; charset=utf-8' },
} as const;

export type ConsoleAssets = Readonly<Record<string, { readonly type: string; readonly text: string }>>;

export async function loadConsoleAssets(): Promise<ConsoleAssets> {
  const entries = Object.entries(CONSOLE_ASSETS).map(async ([name, { source, type }]) => {
    // From a checkout the file is bundled now.
    const text = import.meta.url.endsWith('.ts')
      ? await bundle(fileURLToPath(new URL(source, import.meta.url)))
      : await readFile(new URL(name, import.meta.url), 'utf8');
    return [name, { type, text }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
