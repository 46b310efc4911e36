import { execFile } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { PYTHON } from '../../../support/python.ts';
import { scaleWait } from '../../../support/waits.ts';

export const run = promisify(execFile);

/** A program of the documentation, how it is started, and what must be there for it. */
export const PROGRAMS = [
  { language: 'bash', file: 'forum.sh', command: 'bash', needs: ['bash', '-c', 'openssl version && curl --version'] },
  { language: 'python', file: 'forum.py', command: PYTHON, needs: [PYTHON, '-c', 'import cryptography'] },
  { language: 'js', file: 'forum.mjs', command: process.execPath, needs: [process.execPath, '--version'] },
] as const;

const found = new Map<string, Promise<boolean>>();

/** True where a program can run. It is looked for once. */
export function isThere({ file, needs: [tool, ...words] }: (typeof PROGRAMS)[number]): Promise<boolean> {
  const known = found.get(file);
  if (known !== undefined) return known;
  const looked = run(tool, words).then(
    () => true,
    () => false,
  );
  found.set(file, looked);
  return looked;
}

/** Runs a command in a folder with the environment that programs look at; answers what it printed. */
export async function runIn(cwd: string, url: string, command: string, words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await resultIn(cwd, { FORUM_URL: url, FORUM_KEY: `${cwd}/keys/key.json` }, [
    command,
    ...words,
  ]);
  if (code !== 0) throw Object.assign(new Error(`${command} ended with ${code}: ${stderr}`), { code, stdout, stderr });
  return stdout;
}

/** Runs a command in a folder, which is its home, with this environment and no proxy unless it names one. */
export async function resultIn(
  cwd: string,
  env: Readonly<Record<string, string>>,
  [command, ...words]: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const options = { cwd, env: { PATH: process.env.PATH, HOME: cwd, NO_PROXY: '*', no_proxy: '*', ...env } };
  return run(command!, words, { ...options, timeout: scaleWait(120_000) }).then(
    (result) => ({ code: 0, ...result }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

/** A server on a port of its own, with its origin. */
export async function listening(listener: RequestListener): Promise<{ origin: string; server: Server; close(): void }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, close };
}
