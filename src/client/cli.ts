#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { runCommandLine } from './commandLine.ts';

// Whoever reads may have enough: `forum list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  readStdin: () => text(process.stdin),
  stdin: process.stdin,
  isTerminal: process.stdout.isTTY === true,
  writeStdout: (output) => process.stdout.write(output),
  writeStderr: (output) => process.stderr.write(output),
  isForPeople: process.stderr.isTTY,
});
