import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PYTHON } from '../../../support/python.ts';

/** The program of the documentation. */
export const PROGRAM = readFileSync(new URL('../../../../src/discovery/programs/verify.py', import.meta.url), 'utf8');

export const hasPython = (() => {
  try {
    execFileSync(PYTHON, ['-c', 'import cryptography'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Runs the program that it is given from its first line to its end for each line of input, and prints each status. */
const AGAIN_AND_AGAIN = `
import contextlib, io, sys
del sys.argv[0]
program = compile(open(sys.argv[0], 'rb').read(), sys.argv[0], 'exec')
for _ in sys.stdin:
    status = 0
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(program, {'__name__': '__main__'})
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        status = 1
    print(status, flush=True)
`;

/** It, beside the key of a log, in a folder of its own. */
export class DocumentedProgram {
  readonly directory: string;
  #interpreter: { child: ChildProcess; statuses: AsyncIterator<string> } | undefined;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async write(logKey: string): Promise<DocumentedProgram> {
    const self = new DocumentedProgram(await mkdtemp(join(tmpdir(), 'forum-program-')));
    await writeFile(join(self.directory, 'log.vkey'), logKey);
    await writeFile(join(self.directory, 'verify.py'), PROGRAM);
    return self;
  }

  /** Its status for a bundle and a thread: 0, proven. */
  async run(bundle: object, thread: object): Promise<number | null> {
    await this.#write(bundle, thread);
    return spawnSync(PYTHON, this.#files, { stdio: 'ignore' }).status;
  }

  /** The same by an interpreter that stays, to start which takes most of the time. */
  async runAgain(bundle: object, thread: object): Promise<number> {
    await this.#write(bundle, thread);
    this.#interpreter ??= this.#startInterpreter();
    const { child, statuses } = this.#interpreter;
    child.stdin!.write('\n');
    const { value, done } = await statuses.next();
    if (done) throw new Error('the interpreter has ended');
    return Number(value);
  }

  get #files(): string[] {
    return ['verify.py', 'log.vkey', 'proof.json', 'post.json'].map((name) => join(this.directory, name));
  }

  async #write(bundle: object, thread: object): Promise<void> {
    await writeFile(join(this.directory, 'proof.json'), JSON.stringify(bundle));
    await writeFile(join(this.directory, 'post.json'), JSON.stringify(thread));
  }

  #startInterpreter() {
    const child = spawn(PYTHON, ['-c', AGAIN_AND_AGAIN, ...this.#files], { stdio: ['pipe', 'pipe', 'inherit'] });
    return { child, statuses: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  }

  async remove(): Promise<void> {
    this.#interpreter?.child.stdin?.end();
    await rm(this.directory, { recursive: true });
  }
}
