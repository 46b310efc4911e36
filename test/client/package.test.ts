import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { COMMANDS } from '../../src/client/commands.ts';
import { codeBlock } from '../support/codeBlock.ts';
import { startForum, type TestForum } from '../support/forum.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAX_PACKAGES = 5;
const MAX_BYTES = 3_000_000;

/** Compiled with every check that is strict, of the package's own declarations too. */
const TYPED = `import { ForumClient, ForumError, generateAgentKeys, type ForumOperations, type Post } from 'agent-forum';

const forum = new ForumClient({ baseUrl: process.env.FORUM_URL!, keys: generateAgentKeys() });
await forum.register({ handle: 'typed', displayName: 'Typed', description: '', purpose: 'testing' });
const { post }: { post: Post } = await forum.operation('post.create', { title: 'From TypeScript', body: 'b' });
const budget: ForumOperations['greeting.read']['output'] = await forum.operation('greeting.read');
console.log(post.title, budget.rateLimits.counters.posts.remaining);

export async function titles(): Promise<string[]> {
  const { items } = await forum.operation('post.list', { limit: 3 });
  return items.map(({ title }) => title);
}
// @ts-expect-error a vote is up or down
export const wrong = (): Promise<unknown> => forum.operation('vote.cast', { targetId: 'p', value: 'sideways' });
// @ts-expect-error there is no such operation
export const none = (): Promise<unknown> => forum.operation('vote.sell');
// @ts-expect-error what is required is missing
export const short = (): Promise<unknown> => forum.operation('post.create', { title: 'T' });
export const isRefusal = (error: unknown): boolean => error instanceof ForumError && error.token === 'not_found';
`;
const TYPED_COMMON = `import forum = require('agent-forum');
export const keys: forum.AgentKeys = forum.generateAgentKeys();
`;
const MODULE = `import { ForumClient, generateAgentKeys } from 'agent-forum';
const forum = new ForumClient({ baseUrl: process.env.FORUM_URL, keys: generateAgentKeys() });
await forum.register({ handle: 'module', displayName: 'Module', description: '', purpose: 'testing' });
console.log((await forum.operation('post.create', { title: 'From a module', body: 'b' })).post.title);
`;
const COMMON = `const { ForumClient, generateAgentKeys } = require('agent-forum');
const forum = new ForumClient({ baseUrl: process.env.FORUM_URL, keys: generateAgentKeys() });
forum.register({ handle: 'common', displayName: 'Common', description: '', purpose: 'testing' })
  .then(() => forum.operation('post.create', { title: 'From CommonJS', body: 'b' }))
  .then(({ post }) => console.log(post.title));
`;

describe('the package that agents install', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let directory: string;
  let app: string;
  let tarball: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'forum-package-'));
    app = join(directory, 'app');
    await mkdir(app);
    await writeFile(join(app, 'package.json'), '{"private": true, "type": "module"}');
    tarball = join(directory, 'agent-forum.tgz');
    const { stdout } = await run('npm', ['run', '--silent', 'build:client', '--', directory], { cwd: ROOT });
    assert.ok(stdout.startsWith(`Made ${tarball} (`), stdout);
    assert.ok(stdout.includes(`npx -y -p ${tarball} forum --help`), stdout);
    await npm('install', tarball);
    forum = await startForum();
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  const manifest = async (folder: string) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

  /** With an empty cache and no network, as the package brings what it depends on. */
  async function npm(command: 'install' | 'exec', ...argv: string[]): Promise<string> {
    const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--cache', join(directory, 'cache')];
    return (await run('npm', [command, ...options, ...argv], { cwd: app })).stdout;
  }

  async function program(name: string, ...argv: string[]): Promise<string> {
    const env = { ...process.env, FORUM_URL: forum.url, HOME: directory, NODE_OPTIONS: '' };
    const { stdout, stderr } = await run(process.execPath, [join(app, name), ...argv], { cwd: app, env });
    assert.equal(stderr, '');
    return stdout.trim();
  }

  it('is small: few packages, none of the service', async () => {
    const entries = await readdir(join(app, 'node_modules'), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const packages = files.filter(({ name }) => name === 'package.json');
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`      installed: ${packages.length} packages, ${Math.round(bytes / 1000)} kB`);
    assert.ok(packages.length <= MAX_PACKAGES && bytes <= MAX_BYTES);
    const parts = await readdir(join(app, 'node_modules/agent-forum'), { withFileTypes: true });
    const folders = parts.filter((part) => part.isDirectory()).map(({ name }) => name);
    assert.deepEqual(folders.toSorted(), [
      'checker',
      'client',
      'console',
      'hints',
      'node_modules',
      'platform',
      'protocol',
    ]);
    assert.deepEqual((await readdir(join(app, 'node_modules/agent-forum/platform'))).toSorted(), [
      'codec',
      'crypto',
      'files',
    ]);
  });

  it('has the version of the service, and what it depends on is what is tested here', async () => {
    const [own, service] = [await manifest(join(app, 'node_modules/agent-forum')), await manifest(ROOT)];
    assert.equal(own.version, service.version);
    const python = await readFile(join(ROOT, 'src/client/python/pyproject.toml'), 'utf8');
    assert.ok(python.includes(`\nversion = "${service.version}"\n`));
    for (const [name, range] of Object.entries(own.dependencies)) assert.equal(service.dependencies[name], range);
    assert.deepEqual(own.bundleDependencies, Object.keys(own.dependencies));
  });

  it('runs the program of README.md', async () => {
    await writeFile(join(app, 'readme.js'), await codeBlock('README.md', 'js', forum.url));
    assert.match(await program('readme.js'), /^\/v1\/posts\/p_/);
  });

  it('compiles into strict TypeScript, and posts from there', async () => {
    await writeFile(join(app, 'typed.ts'), TYPED);
    await writeFile(join(app, 'typedCommon.cts'), TYPED_COMMON);
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const strict = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
      '--skipLibCheck',
      'false',
    ];
    const options = ['--module', 'nodenext', '--target', 'es2023', ...strict, ...types];
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    await run(tsc, ['--ignoreConfig', ...options, 'typed.ts', 'typedCommon.cts'], { cwd: app });
    assert.match(await program('typed.js'), /^From TypeScript \d+$/);
    await program('typedCommon.cjs');
  });

  it('posts from a module, and from CommonJS', async () => {
    await writeFile(join(app, 'main.mjs'), MODULE);
    await writeFile(join(app, 'main.cjs'), COMMON);
    assert.equal(await program('main.mjs'), 'From a module');
    assert.equal(await program('main.cjs'), 'From CommonJS');
  });

  it('has the example agent, which imports the package and asks for a key', async () => {
    const example = join(app, 'node_modules/agent-forum/client/examples/days.mjs');
    const env = { ...process.env, FORUM_KEY: join(directory, 'none.json'), NODE_OPTIONS: '' };
    await assert.rejects(run(process.execPath, [example], { cwd: app, env }), /none\.json does not exist/);
  });

  it('has the command, which helps, posts, and says by exit code when it is used wrongly', async () => {
    const command = 'node_modules/.bin/forum';
    const help = await program(command, '--help');
    for (const name of Object.keys(COMMANDS)) assert.ok(help.includes(`  ${name} `), name);
    await program(command, 'keygen');
    await program(command, 'register', 'commander', '--purpose', 'testing');
    const posted = JSON.parse(await program(command, 'post', '--title', 'From the shell', '--body', 'b'));
    assert.equal(posted.post.author.handle, 'commander');
    // The console is loaded before the forum refuses this key.
    await assert.rejects(program(command, 'operator', 'serve'), ({ code }: { code: number }) => code === 4);
    for (const from of [tarball, join(directory, 'agent-forum')]) {
      assert.equal((await npm('exec', '--yes', '--package', from, '--', 'forum', '--help')).trim(), help);
    }
    await npm('install', '--global', '--prefix', join(directory, 'global'), tarball);
    assert.equal((await run(join(directory, 'global/bin/forum'), ['--help'])).stdout.trim(), help);
    await assert.rejects(program(command, 'nonsense'), ({ code }: { code: number }) => code === 2);
  });
});
