import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeTestDirectory } from '../../support/directories.ts';
import type { KeptServices } from '../../support/keptServices.ts';
import { eventually } from '../../support/waits.ts';
import { wantServices } from '../../support/wanted.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));
const DATABASE = JSON.stringify(pathToFileURL(join(root, 'test/support/database.ts')).href);

// A Redis that has to be fetched is in the cache by then.
wantServices();

describe('npm run services', function () {
  this.timeout(90_000);
  let directory: string;
  let recordPath: string;
  let keeper: ChildProcess;
  let output = '';
  before(async () => {
    directory = await makeTestDirectory();
    recordPath = join(directory, 'services.json');
    // It keeps the servers of this run, and others use them by its record alone.
    keeper = runNode(process.env, '--import', 'tsx', 'test/support/keepServices.ts');
    keeper.stdout!.on('data', (chunk) => (output += chunk));
    await eventually(() => output.includes('are up after'), 60_000, 'the start of the services');
  });
  after(async () => {
    if (keeper.exitCode === null) {
      const exited = once(keeper, 'exit');
      keeper.kill('SIGTERM');
      await exited;
    }
    await rm(directory, { recursive: true, force: true });
  });

  function runNode(env: NodeJS.ProcessEnv, ...args: string[]): ChildProcess {
    return spawn(process.execPath, args, {
      cwd: root,
      env: { ...env, TEST_SERVICES: recordPath },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  async function outputOf(...args: string[]): Promise<string> {
    const { TEST_DATABASE_URL: _database, TEST_REDIS_URL: _redis, ...env } = process.env;
    const child = runNode(env, ...args);
    const [printed] = await Promise.all([text(child.stdout!), once(child, 'exit')]);
    return printed;
  }

  /** Runs one test file that prints its databases after it has made one, then does `last`. */
  async function runTest(last: string): Promise<string> {
    const file = join(directory, 'uses.test.ts');
    await writeFile(
      file,
      `import { asAdmin, createDatabase } from ${DATABASE};
       it('has a database', async () => {
         const database = await createDatabase();
         const { rows } = await asAdmin((admin) => admin.query("SELECT datname FROM pg_database WHERE datname ~ '^test_'"));
         console.log(database.url, rows.map(({ datname }) => datname).join());
         ${last}
       });`,
    );
    return outputOf(mocha, '--no-parallel', '--exit', '--grep', '.', file);
  }

  it('serves test runs, and a run drops the databases of a killed one', async () => {
    const { databaseUrl, keeper: recorded } = JSON.parse(await readFile(recordPath, 'utf8')) as KeptServices;
    assert.equal(recorded.pid, keeper.pid);
    const killed = await runTest("process.kill(process.pid, 'SIGKILL');");
    const [left] = /test_\w+/.exec(killed) ?? [];
    assert.ok(killed.includes(new URL(databaseUrl).host) && left, killed);
    const whole = await runTest('await database.drop();');
    assert.ok(whole.includes(new URL(databaseUrl).host) && whole.includes('1 passed') && !whole.includes(left), whole);
  });

  it('starts no second pair of servers for the same checkout', async () => {
    const printed = await outputOf('--import', 'tsx', 'test/support/keepServices.ts');
    assert.equal(printed, `The services of this checkout are up already, kept by process ${keeper.pid}.\n`);
  });

  it('ends with the command stop, and removes its state file', async () => {
    const exited = once(keeper, 'exit');
    assert.equal(await outputOf('--import', 'tsx', 'test/support/keepServices.ts', 'stop'), 'Stopped.\n');
    assert.deepEqual(await exited, [0, null], output);
    assert.equal(existsSync(recordPath), false);
    const again = await outputOf('--import', 'tsx', 'test/support/keepServices.ts', 'stop');
    assert.equal(again, 'No services of this checkout are up.\n');
  });
});
