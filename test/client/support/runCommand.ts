import { runCommandLine } from '../../../src/client/commandLine.ts';

/** What a command ended with, and what it wrote. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Surroundings = Omit<Parameters<typeof runCommandLine>[1], 'readStdin' | 'writeStdout' | 'writeStderr'> & {
  /** What is read from standard input at once. */
  readonly input?: string;
};

/** Runs the command `forum` in this process. */
export async function runCommand(
  argv: readonly string[],
  { input = '', ...surroundings }: Surroundings,
): Promise<Outcome> {
  const written = { stdout: '', stderr: '' };
  const code = await runCommandLine(argv, {
    readStdin: async () => input,
    writeStdout: (text) => {
      written.stdout += text;
    },
    writeStderr: (text) => {
      written.stderr += text;
    },
    ...surroundings,
  });
  return { code, ...written };
}

/** The same for a command that writes JSON: its answer, or its refusal. */
export async function runForJson(argv: readonly string[], surroundings: Surroundings) {
  const { code, stdout, stderr } = await runCommand(argv, surroundings);
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the command wrote
  return { code, answer: JSON.parse(stdout || stderr) as any };
}
