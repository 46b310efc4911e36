import { createHash } from 'node:crypto';
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
  guide: { file: 'guide.css', type: 'text/css; charset=utf-8' },
  icon: { file: 'icon.svg', type: 'image/svg+xml' },
  page: { file: 'browser/page.js', type: 'text/javascript; charset=utf-8' },
  replay: { file: 'browser/replay.js', type: 'text/javascript; charset=utf-8' },
} as const;
export type AssetName = keyof typeof FILES;

/** What a build writes beside this file: scripts as one module each, style sheets without what only people read. */
export const BUILT = [FILES.style.file, FILES.guide.file, FILES.page.file, FILES.replay.file];

let loading: Promise<Assets> | undefined;

/** All of them; made once a process, unless that fails. */
export function loadAssets(): Promise<Assets> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
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
  const isBuilt = !import.meta.url.endsWith('.ts') || !BUILT.includes(file as never);
  if (isBuilt) return readFile(new URL(file, import.meta.url), 'utf8');
  return bundle(fileURLToPath(new URL(file.replace(/js$/, 'ts'), import.meta.url)));
}

/** A script with all that it imports as one module, or a style sheet; smaller. */
export async function bundle(source: string): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    format: 'esm',
    target: 'esnext',
    minify: true,
    write: false,
    legalComments: 'none',
    // The one thing of Node's that hashing asks for, and the same in a browser.
    alias: { 'node:crypto': fileURLToPath(new URL('browser/crypto.ts', import.meta.url)) },
  });
  return outputFiles[0]!.text;
}
