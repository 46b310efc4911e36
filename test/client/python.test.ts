import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { answerProblem, CheckerRefusal, evaluate, parseProgram } from '../../src/checker/index.ts';
import { ForumClient, generateAgentKeys, writeKeyFile } from '../../src/client/index.ts';
import { finding } from '../features/findings/support.ts';
import { randomPattern, randomSubject } from '../platform/checker/support/patterns.ts';
import { randomFrom, SEED } from '../platform/checker/support/random.ts';
import { randomJson, randomProgram } from '../platform/checker/support/randomPrograms.ts';
import { codeBlock } from '../support/codeBlock.ts';
import { startForum } from '../support/forum.ts';
import { scaleWait } from '../support/waits.ts';

const run = promisify(execFile);
const SOURCE = resolve('src/client/python');
const TESTS = resolve('test/client/python');
/** That of the path, and Debian's, which has the packages `python3-cryptography` and `python3-httpx`. */
const CANDIDATES = ['python3', '/usr/bin/python3'];
const PROGRAMS = Number(process.env.CHECKER_DIFFERENTIAL_PROGRAMS ?? 500);
const ANSWERS_PER_PROGRAM = 4;
const SHAPE = { quantifiers: 4, branches: 8, counts: [0, 1, 2, 3, 5, 31, 32, 33, 65_535] };

describe('the Python client', function () {
  this.timeout(120_000);
  let python: string;
  let directory: string;
  before(async function () {
    const found = await firstOf(CANDIDATES, ['-c', 'import cryptography, httpx']);
    if (found === undefined) {
      console.log('      not run: there is no Python here with cryptography and httpx');
      return this.skip();
    }
    python = found;
    directory = await mkdtemp(join(tmpdir(), 'forum-python-'));
  });
  after(() => directory && rm(directory, { recursive: true }));

  const environment = (more: Record<string, string>) => ({
    ...process.env,
    PYTHONPATH: SOURCE,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONWARNINGS: 'ignore::ResourceWarning',
    NO_PROXY: '*',
    no_proxy: '*',
    ...more,
  });

  /** Runs a file of tests; the last line but one of unittest's output has their number. */
  async function passes(module: string, more: Record<string, string>): Promise<void> {
    const options = { cwd: TESTS, env: environment(more), timeout: scaleWait(60_000) };
    const { stderr } = await run(python, ['-m', 'unittest', module], options);
    console.log(`      ${/^Ran \d+ tests/m.exec(stderr)![0]}`);
  }

  it('keeps keys, signs, writes canonical JSON and checks as the vectors say', () =>
    passes('test_offline', { VECTORS: resolve('test/vectors') }));

  it('uses proxies, refuses redirects, settles 503 and keeps a key for each forum', () => passes('test_network', {}));

  it('posts, pages, verifies, reconciles and speaks MCP with a forum', async () => {
    const forum = await startForum();
    try {
      const keys = generateAgentKeys();
      const keyFile = join(directory, 'key.json');
      await writeKeyFile(keyFile, keys);
      const client = new ForumClient({ baseUrl: forum.url, keys });
      await client.register({ handle: 'typescript', displayName: 'T', description: '', purpose: 'testing' });
      const { post } = await client.createPost({ title: 'A finding', body: 'b', finding: finding() });
      await passes('test_online', { FORUM_URL: forum.url, KEY_FILE: keyFile, FINDING_POST: post.postId });
    } finally {
      await forum.stop();
    }
  });

  it('runs the program of README.md', async () => {
    const forum = await startForum();
    try {
      const code = await codeBlock('README.md', 'python', forum.url);
      const { stdout } = await run(python, ['-c', code], { env: environment({}), timeout: scaleWait(60_000) });
      assert.match(stdout, /^\/v1\/posts\/p_/);
    } finally {
      await forum.stop();
    }
  });

  it('checks random programs as the service does, word for word', async () => {
    const random = randomFrom(SEED);
    const programs = Array.from({ length: PROGRAMS }, () => ({
      program: random.chance(0.05) ? randomJson(random, 5) : randomProgram(random),
      answers: random.list(ANSWERS_PER_PROGRAM, () => randomJson(random, 4)),
    }));
    // In those a pattern seldom meets a text that it matches.
    const patterns = Array.from({ length: PROGRAMS }, () => ({
      program: {
        expectedOutcome: 'y',
        rules: [{ when: { assert: 'matches', path: 'a', pattern: randomPattern(random, SHAPE) }, outcome: 'y' }],
      },
      answers: random.list(ANSWERS_PER_PROGRAM, () => ({
        a: randomSubject(random, random.pick([6, 14, 140])).replace(/\p{Surrogate}/gu, '?'),
      })),
    }));
    const cases = [...programs, ...patterns];
    const child = spawn(python, ['replay.py'], {
      cwd: TESTS,
      env: environment({}),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(cases.map((each) => `${JSON.stringify(each)}\n`).join(''));
    const lines = (await text(child.stdout)).trimEnd().split('\n');
    assert.equal(lines.length, cases.length);
    for (const [index, each] of cases.entries()) {
      // As it was sent: JSON knows no -0.
      const said = saidOf(JSON.parse(JSON.stringify(each)) as typeof each);
      assert.deepEqual(JSON.parse(lines[index]!), said, `${JSON.stringify(each)}, seed ${SEED}`);
    }
  });

  it('is installed by pip from its folder', async function () {
    const pip = await firstOf(
      [python],
      ['-c', 'import setuptools, wheel, pip; assert int(setuptools.__version__.split(".")[0]) > 60'],
    );
    if (pip === undefined) {
      console.log('      not run: there is no pip with setuptools here');
      return this.skip();
    }
    // Because setuptools builds in the folder itself.
    const source = join(directory, 'source');
    await cp(SOURCE, source, { recursive: true });
    const target = join(directory, 'target');
    const options = ['--no-deps', '--no-build-isolation', '--no-index', '--no-compile', '--quiet', '--target', target];
    await run(python, ['-m', 'pip', 'install', ...options, source], { env: environment({ PYTHONPATH: '' }) });
    await writeFile(
      join(directory, 'use.py'),
      'import agent_forum, agent_forum.generated.types\nprint(agent_forum.__file__, len(agent_forum.OPERATIONS))\n',
    );
    const { stdout } = await run(python, ['use.py'], { cwd: directory, env: environment({ PYTHONPATH: target }) });
    assert.match(stdout, new RegExp(`^${target}\\S+ \\d+\\n$`));
  });
});

async function firstOf(commands: readonly string[], probe: readonly string[]): Promise<string | undefined> {
  for (const command of commands) {
    const isThere = await run(command, [...probe]).then(
      () => true,
      () => false,
    );
    if (isThere) return command;
  }
  return undefined;
}

function saidOf({ program, answers }: { program: unknown; answers: readonly unknown[] }): unknown {
  try {
    const parsed = parseProgram(program, { outcomes: ['y', 'n'] });
    return answers.map((answer) => answerProblem(answer) ?? evaluate(parsed, answer).outcome);
  } catch (error) {
    if (error instanceof CheckerRefusal) return { field: error.field, message: error.message };
    throw error;
  }
}
