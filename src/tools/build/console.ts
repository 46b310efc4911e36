import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { CONSOLE_ASSETS } from '../../console/assets.ts';
import { bundle } from '../../web/assets.ts';

/** Writes the style sheet and the script of the console into the folder of its compiled modules. */
export async function writeConsoleAssets(root: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [name, { source }] of Object.entries(CONSOLE_ASSETS))
    writeFileSync(join(folder, name), await bundle(join(root, 'src/console', source)));
}

/**
 * Writes the console for the client's package: one module with its parts of the site and its libraries, so that agents
 * install no further package for it. It shares the modules of the client.
 */
export async function bundleConsole(root: string, folder: string): Promise<void> {
  await writeConsoleAssets(root, folder);
  await build({
    entryPoints: [join(root, 'src/console/server.ts')],
    outfile: join(folder, 'server.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    legalComments: 'inline',
    external: ['esbuild'],
    plugins: [
      {
        name: 'client',
        setup: ({ onResolve }) =>
          onResolve({ filter: /\/client\// }, ({ path }) => ({ path: path.replace(/\.ts$/, '.js'), external: true })),
      },
    ],
  });
}
