#!/usr/bin/env node
import { buffer } from 'node:stream/consumers';
import { utf8Of } from './arguments.ts';
import { runCommandLine } from './commandLine.ts';
import { failureOfOutput, lineOf } from './failure.ts';
import { whenInterrupted } from './interruption.ts';
import { asJsonLine } from './text.ts';

// Whoever reads may have enough: `forum list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  const { exitCode, report } = failureOfOutput(error);
  const isForPeople = process.stderr.isTTY || process.argv.includes('--text');
  process.stderr.write(isForPeople ? `${lineOf(report)}\n` : asJsonLine(report));
  process.exit(exitCode);
});

// Where errors cannot be told either, the exit code still does.
process.stderr.on('error', () => {});

const interrupted = whenInterrupted();
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
// The moment that is left after a signal was for this.
if (interrupted.aborted) process.exit(exitCode);
process.exitCode = exitCode;
