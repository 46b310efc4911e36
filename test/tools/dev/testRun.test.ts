import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeTestDirectory } from '../../support/directories.ts';
import { Progress } from '../../support/progress.ts';
import { eventually } from '../../support/waits.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));
const support = (file: string) => JSON.stringify(pathToFileURL(join(root, 'test/support', file)).href);

/** Nobody listens there. */
const NO_SERVICES = { TEST_DATABASE_URL: 'postgres://127.0.0.1:1/none', TEST_REDIS_URL: 'redis://127.0.0.1:1' };

describe('a test run', function () {
  this.timeout(60_000);
  let directory: string;
  before(async () => {
    directory = await makeTestDirectory();
  });
  after(() => rm(directory, { recursive: true, force: true }));

  /** Runs mocha as `npm test` does on test files with these texts; `--grep` keeps it from being recorded. */
  async function run(texts: readonly string[], ...options: string[]): Promise<{ code: number | null; output: string }> {
    const files = texts.map((_, index) => join(directory, `file${index}.test.ts`));
    await Promise.all(files.map((file, index) => writeFile(file, texts[index]!)));
    const child = spawn(process.execPath, [mocha, '--grep', '.', ...options, ...files], {
      cwd: root,
      env: { ...process.env, ...NO_SERVICES },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    return { code, output };
  }

  const PURE = `it('is pure', () => {});`;
  const LATE = `it('is late', async function () { this.timeout(20); await new Promise(() => setTimeout(() => {}, 5_000)); });
    it('waits in vain', async () => { await (await import(${support('waits.ts')})).eventually(() => false, 20); });
    it('is wrong', () => { throw new Error('Timeout of 20ms exceeded'); });`;

  it('of pure tests starts no services', async () => {
    const { code, output } = await run([PURE, PURE], '--no-parallel');
    assert.deepEqual([code, output.trimEnd().split('\n').at(-1)], [0, '2 passed, 0 failed'], output);
  });

  for (const mode of ['--parallel', '--no-parallel']) {
    it(`${mode} starts services if a file wants them`, async () => {
      const importing = `import ${support('database.ts')};\n${PURE}`;
      const wanting = await run([importing], mode);
      assert.ok(wanting.code! > 0 && wanting.output.includes('ECONNREFUSED'), wanting.output);
    });
  }

  it('a missing test file is an error and runs nothing', async () => {
    const child = spawn('bash', ['test/run.sh', 'test/none.test.ts'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, told, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    assert.deepEqual([code, output, told], [2, '', 'There is no test/none.test.ts.\n']);
  });

  // Without services, a run removes its directory alone.
  for (const [signal, first] of [
    ['SIGTERM', `import ${support('database.ts')};`],
    ['SIGINT', ''],
  ] as const) {
    it(`ends at ${signal} to its first process${first && ', and stops the servers that it started'}`, async () => {
      const started = join(directory, signal);
      const file = join(directory, 'long.test.ts');
      await writeFile(
        file,
        `${first}
         import { writeFileSync } from 'node:fs';
         it('takes long', async function () {
           this.timeout(100_000);
           const { TEST_RUN_DIRECTORY, TEST_DATABASE_URL } = process.env;
           writeFileSync(${JSON.stringify(started)}, JSON.stringify({ TEST_RUN_DIRECTORY, TEST_DATABASE_URL }));
           await new Promise((resolve) => setTimeout(resolve, 90_000));
         });`,
      );
      const { TEST_DATABASE_URL: _database, TEST_REDIS_URL: _redis, ...inherited } = process.env;
      const env = { ...inherited, TEST_SERVICES: 'own' };
      const child = spawn(process.execPath, [mocha, '--grep', '.', file], { cwd: root, env, stdio: 'ignore' });
      const exited = once(child, 'exit');
      await eventually(() => existsSync(started) && statSync(started).size > 0, 40_000);
      const run = JSON.parse(await readFile(started, 'utf8'));
      assert.ok(existsSync(run.TEST_RUN_DIRECTORY));
      child.kill(signal);
      await exited;
      await eventually(() => !existsSync(run.TEST_RUN_DIRECTORY), 15_000);
      if (first === '') return;
      const { hostname, port } = new URL(run.TEST_DATABASE_URL);
      await assert.rejects(once(createConnection(Number(port), hostname), 'connect'), { code: 'ECONNREFUSED' });
    });
  }

  it('tells time-outs from other failures, and counts them as failed', async () => {
    // In parallel, and without services, which these tests do not want.
    const { code, output } = await run([PURE + LATE], '--parallel');
    assert.equal(code, 3);
    const lines = output.trimEnd().split('\n');
    assert.equal(lines.at(-1), '1 passed, 3 failed');
    const told = lines.slice(lines.findIndex((line) => line.includes('2 of 3 failures by time-out')) + 2, -2);
    assert.deepEqual(
      told.map((line) => line.trim()),
      ['is late', 'waits in vain'],
      output,
    );
  });
});

describe('the progress of a test run', () => {
  const FILES = { 'a.test.ts': { tests: 10, ms: 9_700 }, 'b.test.ts': { tests: 30, ms: 29_700 } };

  it('is estimated from the time that the same files took before', () => {
    const progress = new Progress(Object.keys(FILES), FILES);
    assert.equal(progress.describe(30_000), '0 of about 40 tests, 30 s');
    for (let n = 0; n < 10; n++) progress.addTest('a.test.ts', 100);
    // A quarter of the time is over, at half the speed of before.
    assert.equal(progress.describe(20_000), '10 of about 40 tests, 20 s, about 1 min 0 s left');
    for (let n = 0; n < 31; n++) progress.addTest('b.test.ts', 100);
    assert.equal(progress.describe(80_000), '41 of about 41 tests, 1 min 20 s, about 0 s left');
  });

  it('takes a file that is new for an average one, and keeps what passed', () => {
    const progress = new Progress([...Object.keys(FILES), 'new.test.ts'], FILES);
    assert.equal(progress.describe(0), '0 of about 60 tests, 0 s');
    progress.addTest('new.test.ts', 5.4);
    progress.addHook('new.test.ts', 10);
    progress.addTest('a.test.ts', 1);
    progress.addFailure('a.test.ts');
    assert.deepEqual(progress.merge(FILES), { ...FILES, 'new.test.ts': { tests: 1, ms: 15 } });
  });
});
