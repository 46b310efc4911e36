import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A file that pages load. Its path contains a hash of its text. */
interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

export type Assets = Readonly<Record<AssetName, Asset>>;

const FILES = {
  style: { file: 'style.css', type: 'text/css; charset=utf-8' },
  guide: { file: 'guide.css', type: 'text/css; charset=utf-8' },
  icon: { file: 'icon.svg', type: 'image/svg+xml' },
  theme: { file: 'browser/theme.js', type: 'text/javascript; charset=utf-8' },
  documentation: { file: 'browser/documentation.js', type: 'text/javascript; charset=utf-8' },
  page: { file: 'browser/page.js', type: 'text/javascript; charset=utf-8' },
  replay: { file: 'browser/replay.js', type: 'text/javascript; charset=utf-8' },
} as const;
type AssetName = keyof typeof FILES;

/** Files that the build bundles and minifies. From a checkout they are bundled at the first request. */
export const BUILT = [
  FILES.style.file,
  FILES.guide.file,
  FILES.theme.file,
  FILES.documentation.file,
  FILES.page.file,
  FILES.replay.file,
];

let loading: Promise<Assets> | undefined;

/** Returns all assets, which are loaded once for each process unless loading fails. */
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

/** Bundles a script with its imports, or a style sheet, and minifies it. */
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
    // Browsers have no synchronous SHA-256.
    alias: { 'node:crypto': fileURLToPath(new URL('browser/crypto.ts', import.meta.url)) },
  });
  return outputFiles[0]!.text;
}
