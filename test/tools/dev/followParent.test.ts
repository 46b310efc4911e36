import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { identify } from '../../../src/tools/dev/processes.ts';
import { findProgram } from '../../support/programs.ts';
import { eventually } from '../../support/waits.ts';

/** Forks a program that does nothing for a minute, says which process it is, and is killed outright after `ms`. */
const PARENT = `
  const [preloaded, ms] = process.argv.slice(1);
  const { fork } = require('node:child_process');
  const execArgv = ['--import', preloaded, '--eval', 'setTimeout(() => {}, 60_000)'];
  const child = fork('-', { execArgv, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  process.stdout.write(String(child.pid), () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(ms)));`;

/** Forks a program that begins a thread, and says how it has ended. */
const WITH_THREAD = `
  const [preloaded] = process.argv.slice(1);
  const { fork } = require('node:child_process');
  const thread = "new (require('node:worker_threads').Worker)(new URL('data:text/javascript,')).once('exit', () => process.exit(7))";
  const execArgv = ['--import', preloaded, '--eval', thread];
  const child = fork('-', { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.once('exit', (code, signal) => process.stdout.write(String(code ?? signal)));`;

describe('a program of npm start', () => {
  it('outlives its threads, which have no channel to that', async () => {
    const preloaded = await findProgram('src/tools/dev/followParent.ts');
    const { stdout } = await promisify(execFile)(process.execPath, ['--eval', WITH_THREAD, preloaded]);
    assert.equal(stdout, '7');
  });
  for (const when of [0, 400]) {
    it(`ends when that is killed outright ${when} ms after it was started`, async () => {
      const preloaded = await findProgram('src/tools/dev/followParent.ts');
      const killed = promisify(execFile)(process.execPath, ['--eval', PARENT, preloaded, String(when)]);
      const { stdout, signal } = (await killed.catch((error: unknown) => error)) as { stdout: string; signal: string };
      assert.equal(signal, 'SIGKILL');
      await eventually(async () => !(await identify(Number(stdout))));
    });
  }
});
