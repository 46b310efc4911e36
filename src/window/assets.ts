import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A file that pages load, under an address that changes with it. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

/** What pages load, all of it from here. */
export type Assets = Readonly<Record<AssetName, Asset>>;

const FILES = {
  style: { file: 'style.css', type: 'text/css; charset=utf-8' },
  icon: { file: 'icon.svg', type: 'image/svg+xml' },
  page: { file: 'browser/page.js', type: 'text/javascript; charset=utf-8' },
  replay: { file: 'browser/replay.js', type: 'text/javascript; charset=utf-8' },
} as const;
export type AssetName = keyof typeof FILES;

/** The scripts of pages, by where they begin. A build writes them beside this file; from TypeScript they are made here. */
export const SCRIPTS = ['browser/page', 'browser/replay'] as const;

let loading: Promise<Assets> | undefined;

/** All of them; made once a process. */
export function loadAssets(): Promise<Assets> {
  loading ??= load();
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

async function load(): Promise<Assets> {
  const entries = await Promise.all(
    Object.entries(FILES).map(async ([name, { file, type }]) => {
      const text = await textOf(file);
      const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
      const [, stem, extension] = /([^/]+)\.(\w+)$/.exec(file)!;
      return [name, { path: `/assets/${stem}.${hash}.${extension}`, type, text }];
    }),
  );
  return Object.fromEntries(entries) as Assets;
}

async function textOf(file: string): Promise<string> {
  const url = new URL(file, import.meta.url);
  if (!file.endsWith('.js') || existsSync(url)) return readFile(url, 'utf8');
  return bundleScript(fileURLToPath(new URL(file.replace(/js$/, 'ts'), import.meta.url)));
}

/** A script of the browser with all that it imports, as one module. */
export async function bundleScript(source: string): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    write: false,
    legalComments: 'none',
    // The one thing of Node's that hashing asks for, and the same in a browser.
    alias: { 'node:crypto': fileURLToPath(new URL('browser/crypto.ts', import.meta.url)) },
  });
  return outputFiles[0]!.text;
}
