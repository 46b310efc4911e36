import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The shell without windows needs half of the processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The browser of the system; undefined where there is none. */
export const BROWSER_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Each page is a world of its own: what is compiled for it, beside it, is seldom used before it goes. */
const NO_COMPILERS = '--js-flags=--no-opt,--no-maglev';

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: BROWSER_PATH!,
    args: ['--no-sandbox', '--disable-dev-shm-usage', NO_COMPILERS],
  });
