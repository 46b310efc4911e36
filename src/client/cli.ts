#!/usr/bin/env node
import { constants } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { utf8Of } from './arguments.ts';
import { runCommandLine } from './commandLine.ts';
import { failureOfOutput, lineOf } from './failure.ts';
import { asJsonLine } from './text.ts';

// The reader may close the pipe early: `forum list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  const { exitCode, report } = failureOfOutput(error);
  const isForPeople = process.stderr.isTTY || process.argv.includes('--text');
  process.stderr.write(isForPeople ? `${lineOf(report)}\n` : asJsonLine(report));
  process.exit(exitCode);
});

// If standard error is closed too, the exit code remains.
process.stderr.on('error', () => {});

/** For a request that is aborted to report its nonce, by which `forum reconcile` finds the write. */
const LAST_WORDS_MS = 250;
const interruption = new AbortController();
const interrupted = interruption.signal;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // `once`: a second signal ends the process at once.
  process.once(signal, () => {
    interruption.abort(new Error(`interrupted by ${signal}`));
    setTimeout(() => process.exit(128 + constants.signals[signal]), LAST_WORDS_MS);
  });
}

const exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  readStdin: async () => utf8Of(await buffer(process.stdin), 'standard input'),
  stdin: process.stdin,
  isTerminal: process.stdout.isTTY === true,
  writeStdout: (output) => process.stdout.write(output),
  writeStderr: (output) => process.stderr.write(output),
  isForPeople: process.stderr.isTTY,
  interrupted,
});
if (interrupted.aborted) process.exit(exitCode);
process.exitCode = exitCode;
