// `npm run test:watch -- test/features/posts`: runs the named tests at every change of a source. Without a name it runs
// the tests that the change affects directly. Each run is a new process on services that stay up until Ctrl-C.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onParentGone } from '../../src/tools/dev/parent.ts';
import { findAffectedTests } from './affected.ts';
import { dropAbandonedDatabases } from './database.ts';
import { removeAbandoned, startTestServices } from './services.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));
const watched = ['src', 'workers', 'migrations', 'test'];
const sourcePattern = /\.(ts|sql|md)$/;
/** An editor writes a file in several steps, git many files. */
const settleMs = 200;

const named = process.argv.slice(2);
const areServicesOurs = !process.env.TEST_DATABASE_URL;
const changed = new Set<string>();
let run: ChildProcess | undefined;
let timer: NodeJS.Timeout | undefined;
let isStopping = false;
/** One after another, so that there is never more than one run. */
let work = Promise.resolve();

const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  void onParentGone(resolve);
});
const services = await startTestServices();
process.env.TEST_DATABASE_URL = services.databaseUrl;
process.env.TEST_REDIS_URL = services.redisUrl;
const watchers = watched.map((folder) =>
  watch(join(root, folder), { recursive: true }, (_, name) => name && noteChange(join(folder, name))),
);
if (named.length > 0) start(named);
else console.log('The services are up. Waiting for a change; Ctrl-C ends.');

await stopped;
isStopping = true;
clearTimeout(timer);
for (const watcher of watchers) watcher.close();
await work;
await endRun();
await services.stop();
// What the tests of an ended run had started.
await removeAbandoned();
process.exit(0);

function noteChange(file: string): void {
  if (!sourcePattern.test(file) || isStopping) return;
  changed.add(file);
  clearTimeout(timer);
  timer = setTimeout(() => {
    work = work.then(runAgain).catch((error: unknown) => console.error(error));
  }, settleMs);
}

async function runAgain(): Promise<void> {
  const files = [...changed];
  changed.clear();
  const tests = named.length > 0 ? named : findAffectedTests(files);
  console.log(`\nChanged: ${files.join(', ')}`);
  if (tests.length === 0) return console.log('No test is near; name the ones to run.');
  await endRun();
  if (!isStopping) start(tests);
}

/** In a process group of its own, which Ctrl-C does not reach: it is ended with everything that its tests started. */
function start(tests: readonly string[]): void {
  run = spawn(process.execPath, [mocha, ...tests], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** Ends a run that is under way, and removes the databases that it could not. */
async function endRun(): Promise<void> {
  const child = run;
  run = undefined;
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await ended;
  if (areServicesOurs && !isStopping) await dropAbandonedDatabases();
}
