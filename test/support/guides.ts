/** Takes the programs of a guide from its Markdown, and runs them unchanged, as a newcomer would. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { fillIn } from '../../src/discovery/pages.ts';
import { findProgram } from './programs.ts';
import { eventually, scaleWait } from './waits.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
/** The default address in the programs. No forum uses it here: FORUM_URL names another. */
const UNUSED = 'http://127.0.0.1:1';
const RUN_MS = 60_000;

/** Each language with the heading of its programs, the mark of their blocks, and the command that runs them. */
const NODE = { info: 'js', comment: '// ', extension: 'mjs', commands: [process.execPath], probe: ['--version'] };
const LANGUAGES = {
  js: { heading: 'JavaScript', ...NODE },
  python: {
    heading: 'Python',
    info: 'python',
    comment: '# ',
    extension: 'py',
    commands: ['python3', '/usr/bin/python3'],
    probe: ['-c', 'import cryptography, httpx'],
  },
  bash: {
    heading: 'Command line',
    info: 'bash',
    comment: '# ',
    extension: 'sh',
    commands: ['bash'],
    probe: ['-c', 'jq --version'],
  },
  mcp: { heading: 'MCP', ...NODE },
};
export type GuideLanguage = keyof typeof LANGUAGES;
export const GUIDE_LANGUAGES = Object.keys(LANGUAGES) as GuideLanguage[];

/** A program of a guide. Its first line names its file. */
export interface GuideProgram {
  readonly file: string;
  readonly text: string;
}

/** The programs of a page in one language, in the order of the page. */
export async function programsOf(page: string, language: GuideLanguage): Promise<GuideProgram[]> {
  const { heading, info, comment } = LANGUAGES[language];
  const source = await readFile(join(ROOT, `src/discovery/docs/${page}.md`), 'utf8');
  // A heading ends at the next one, but a # in a block of code begins no heading.
  const parts = source.matchAll(/^#{1,6} (.+)$|^```(.*)\n([\s\S]*?)^```$/gm);
  let current = '';
  const programs: GuideProgram[] = [];
  for (const [, title, marked, text] of parts) {
    if (title !== undefined) current = title;
    else if (current === heading && marked === info) {
      const [first = ''] = text!.split('\n', 1);
      if (!first.startsWith(comment)) throw new Error(`${page}: "${first}" does not name the file of a program`);
      programs.push({ file: first.slice(comment.length), text: fillIn(text!, { baseUrl: UNUSED }) });
    }
  }
  return programs;
}

/** The program of this number, which counts from 1. */
export async function programOf(page: string, language: GuideLanguage, number: number): Promise<GuideProgram> {
  const program = (await programsOf(page, language))[number - 1];
  if (program === undefined) throw new Error(`${page} has no program ${number} in ${language}`);
  return program;
}

/** A folder with the clients of this checkout, in which programs of one language run against one forum. */
export class GuideFolder {
  readonly path: string;
  private readonly command: string;
  private readonly extension: string;
  private readonly env: Record<string, string | undefined>;
  private readonly running: ChildProcess[] = [];
  private runner: RunningProgram | undefined;
  private runs = 0;

  private constructor(path: string, command: string, extension: string, env: Record<string, string | undefined>) {
    this.path = path;
    this.command = command;
    this.extension = extension;
    this.env = env;
  }

  /** Saves the programs of a page in a new folder. Undefined if the machine lacks what this language needs. */
  static async of(page: string, language: GuideLanguage, forumUrl: string): Promise<GuideFolder | undefined> {
    const command = await workingCommand(language);
    if (command === undefined) return undefined;
    const path = await mkdtemp(join(tmpdir(), `forum-${page}-`));
    await installClients(path);
    for (const { file, text } of await programsOf(page, language)) await writeFile(join(path, file), text);
    const folder = new GuideFolder(path, command, LANGUAGES[language].extension, {
      PATH: `${join(path, 'bin')}:${process.env.PATH}`,
      HOME: path,
      PYTHONPATH: join(ROOT, 'src/client/python'),
      // Compiled once for all guides, and not into the sources.
      PYTHONPYCACHEPREFIX: join(tmpdir(), 'agent-forum-pycache'),
      NO_PROXY: '*',
      no_proxy: '*',
      FORUM_URL: forumUrl,
    });
    if (language === 'bash') await folder.shareCommand();
    return folder;
  }

  /** Runs the program `ask` as `ask.mjs`, `ask.py` or `ask.sh` to its end. Returns the lines that it printed. */
  async run(program: string, ...words: string[]): Promise<string[]> {
    const file = `${program}.${this.extension}`;
    if (this.extension === 'sh') {
      const options = { cwd: this.path, env: this.env, timeout: scaleWait(RUN_MS) };
      return linesOf((await run(this.command, [file, ...words], options)).stdout);
    }
    this.runner ??= this.spawned(this.command, join(import.meta.dirname, `guideRunner.${this.extension}`));
    const end = `end of run ${++this.runs}`;
    const from = this.runner.lines.length;
    this.runner.send(JSON.stringify([end, file, ...words]));
    await this.runner.printed(new RegExp(`^${end}$`));
    return this.runner.lines.slice(from, -1);
  }

  /** Starts a program that runs until it is stopped. */
  start(program: string, ...words: string[]): RunningProgram {
    return this.spawned(this.command, `${program}.${this.extension}`, ...words);
  }

  /** Removes the folder. Throws if a program left something open that keeps its process from ending. */
  async remove(): Promise<void> {
    await this.runner?.end();
    for (const child of this.running) await killed(child);
    await rm(this.path, { recursive: true });
  }

  private spawned(command: string, ...words: string[]): RunningProgram {
    // In a process group of its own: a shell does not pass signals to the commands that it runs.
    const child = spawn(command, words, { cwd: this.path, env: this.env, detached: true, stdio: 'pipe' });
    this.running.push(child);
    return new RunningProgram(child);
  }

  /** Has the command `forum` run in one process, except the bridge. */
  private async shareCommand(): Promise<void> {
    const commandLine = pathToFileURL(await findProgram('src/client/commandLine.ts')).href;
    const server = this.spawned(process.execPath, join(import.meta.dirname, 'guideCommand.mjs'), commandLine);
    const [port] = await server.printed(/^\d+$/);
    const script = `#!/usr/bin/env bash
# A command reads its input only where a word is -.
case " $* " in *" - "*) input=$(cat) ;; *) input= ;; esac
exec 3<> /dev/tcp/127.0.0.1/${port}
printf '%s\\0' $(($# + 4)) "$PWD" "$FORUM_URL" "$FORUM_KEY" "$input" "$@" >&3
read -r code <&3
read -r length <&3
head -c "$length" <&3
cat <&3 >&2
exit "$code"
`;
    await writeFile(join(this.path, 'bin/forum'), script);
  }
}

export class RunningProgram {
  private readonly child: ChildProcess;
  private stdout = '';
  private stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout!.on('data', (chunk) => {
      this.stdout += String(chunk);
    });
    child.stderr!.on('data', (chunk) => {
      this.stderr += String(chunk);
    });
  }

  get lines(): string[] {
    return linesOf(this.stdout);
  }

  /** Waits for a line, and returns its match. Throws what the program wrote to standard error if it ends before. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const found = () => this.lines.map((line) => pattern.exec(line)).find((match) => match !== null);
    await eventually(
      () => {
        if (found() !== undefined) return true;
        if (this.hasEnded) throw new Error(`it ended before it printed ${pattern}: ${this.stdout}${this.stderr}`);
        return false;
      },
      RUN_MS,
      `a line with ${pattern} in ${JSON.stringify(this.lines)} ${this.stderr}`,
    );
    return found()!;
  }

  /** Writes a line to its standard input. */
  send(line: string): void {
    this.child.stdin!.write(`${line}\n`);
  }

  /** Ends the standard input, and waits for the end of the program. */
  async end(): Promise<void> {
    this.child.stdin!.end();
    await eventually(() => this.hasEnded, RUN_MS, 'the end of the programs');
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Ends the program at once, as a crash does. */
  async crash(): Promise<void> {
    await killed(this.child);
  }
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  process.kill(-child.pid!, 'SIGKILL');
  await closed;
}

const workingCommands = new Map<GuideLanguage, Promise<string | undefined>>();

/** The command that has what this language needs. It is looked for once. */
function workingCommand(language: GuideLanguage): Promise<string | undefined> {
  const known = workingCommands.get(language) ?? findWorkingCommand(language);
  workingCommands.set(language, known);
  return known;
}

async function findWorkingCommand(language: GuideLanguage): Promise<string | undefined> {
  const { commands, probe } = LANGUAGES[language];
  for (const command of commands) {
    const works = await run(command, [...probe]).then(
      () => true,
      () => false,
    );
    if (works) return command;
  }
  return undefined;
}

/**
 * The package and the command of this checkout, and the MCP SDK. test/client/package.test.ts installs the real package.
 */
export async function installClients(path: string): Promise<void> {
  const library = join(path, 'node_modules/agent-forum');
  await mkdir(library, { recursive: true });
  await mkdir(join(path, 'bin'));
  const [index, command] = await Promise.all(['src/client/index.ts', 'src/client/cli.ts'].map(findProgram));
  await writeFile(join(library, 'package.json'), '{"name": "agent-forum", "type": "module", "exports": "./index.js"}');
  await writeFile(join(library, 'index.js'), `export * from ${JSON.stringify(pathToFileURL(index!).href)};\n`);
  await symlink(join(ROOT, 'node_modules/@modelcontextprotocol'), join(path, 'node_modules/@modelcontextprotocol'));
  await writeFile(join(path, 'bin/forum'), `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  await chmod(join(path, 'bin/forum'), 0o755);
}
