import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { scaleWait } from '../../../support/waits.ts';

export const run = promisify(execFile);

/** A program of the documentation, how it is started, and what must be there for it. */
export const PROGRAMS = [
  { language: 'bash', file: 'forum.sh', command: 'bash', needs: ['bash', '-c', 'openssl version && curl --version'] },
  { language: 'python', file: 'forum.py', command: 'python3', needs: ['python3', '-c', 'import cryptography'] },
  { language: 'js', file: 'forum.mjs', command: process.execPath, needs: [process.execPath, '--version'] },
] as const;

/** True where a program can run. */
export const isThere = ({ needs: [tool, ...words] }: (typeof PROGRAMS)[number]): Promise<boolean> =>
  run(tool, words).then(
    () => true,
    () => false,
  );

/** Runs a command in a folder with the environment that programs look at; answers what it printed. */
export async function runIn(cwd: string, url: string, command: string, words: readonly string[]): Promise<string> {
  const keyFile = `${cwd}/keys/key.json`;
  const env = { PATH: process.env.PATH, FORUM_URL: url, FORUM_KEY: keyFile, NO_PROXY: '*', no_proxy: '*' };
  const { stdout } = await run(command, [...words], { cwd, env, timeout: scaleWait(120_000) });
  return stdout;
}
