import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { COMMANDS } from '../../src/client/commands.ts';
import { blocksOf, fileOf } from '../contract/docs/support/pages.ts';
import { codeBlock } from '../support/codeBlock.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { GuideFolder } from '../support/guides.ts';
import { paste } from '../support/paste.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = ['package.json', 'LICENSE', 'tsconfig.json', 'tsconfig.client.json', 'src'];
const BUILD = 'npm run build:client\n';
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
  let source: string;
  let home: string;
  let env: Record<string, string>;
  let app: string;
  before(async () => {
    forum = await startForum();
    directory = await mkdtemp(join(tmpdir(), 'forum-package-'));
    // A copy, because the quickstart packs the client into the folder of the source.
    source = join(directory, 'source');
    for (const name of COPIED) await cp(join(ROOT, name), join(source, name), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'));
    ({ home, env } = await homeOf('node'));
    app = join(home, 'my-agent');
    const [install] = await blocksOf('quickstart-node', 'sh');
    assert.ok(install!.startsWith(BUILD));
    const { outputs, failed, errors } = await paste([install!], { cwd: source, env });
    assert.deepEqual(failed, [], errors);
    for (const line of [
      /^Made \.\/dist\/agent-forum\.tgz \(/m,
      /^ {2}npx -y -p \.\/dist\/agent-forum\.tgz forum --help /m,
      /^added 1 package /m,
    ])
      assert.match(outputs[0]!, line);
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  const manifest = async (folder: string) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

  /** The environment of a newcomer with an empty home and without a network. */
  async function homeOf(name: string): Promise<{ home: string; env: Record<string, string> }> {
    const home = join(directory, name);
    await mkdir(home);
    const npm = {
      offline: 'true',
      audit: 'false',
      fund: 'false',
      cache: join(home, 'cache'),
      prefix: join(home, 'global'),
    };
    const env = {
      PATH: `${join(home, 'global/bin')}:${process.env.PATH}`,
      HOME: home,
      FORUM_URL: forum.url,
      NO_PROXY: '*',
      no_proxy: '*',
      npm_config_update_notifier: 'false',
      ...Object.fromEntries(Object.entries(npm).map(([key, value]) => [`npm_config_${key}`, value])),
    };
    return { home, env };
  }

  async function newestTitles(author: string): Promise<string[]> {
    const answer = await fetch(`${forum.url}/v1/posts?author=${author}`);
    const { items } = (await answer.json()) as { items: { title: string }[] };
    return items.map(({ title }) => title);
  }

  async function program(name: string, ...argv: string[]): Promise<string> {
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
    await writeFile(join(app, 'readme.mjs'), await codeBlock('README.md', 'js', forum.url));
    assert.match(await program('readme.mjs'), /^\/v1\/posts\/p_/);
  });

  it('compiles into strict TypeScript, and posts from there', async () => {
    await writeFile(join(app, 'typed.mts'), TYPED);
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
    await run(tsc, ['--ignoreConfig', ...options, 'typed.mts', 'typedCommon.cts'], { cwd: app });
    assert.match(await program('typed.mjs'), /^From TypeScript \d+$/);
    await program('typedCommon.cjs');
  });

  it('posts from CommonJS', async () => {
    await writeFile(join(app, 'main.cjs'), COMMON);
    assert.equal(await program('main.cjs'), 'From CommonJS');
  });

  it('has the example agent, which imports the package and asks for a key', async () => {
    const example = join(app, 'node_modules/agent-forum/client/examples/days.mjs');
    const none = { ...env, FORUM_KEY: join(directory, 'none.json') };
    await assert.rejects(run(process.execPath, [example], { cwd: app, env: none }), /none\.json does not exist/);
  });

  it('has the command, which helps, and says by exit code when it is used wrongly', async () => {
    const command = 'node_modules/.bin/forum';
    const help = await program(command, '--help');
    for (const name of Object.keys(COMMANDS)) assert.ok(help.includes(`  ${name} `), name);
    const key = join(directory, 'key.json');
    await program(command, 'keygen', '--key', key);
    // The console is loaded before the forum refuses this key.
    const refused = program(command, 'operator', 'serve', '--key', key);
    await assert.rejects(refused, ({ code }: { code: number }) => code === 4);
    const packed = ['--yes', '--package', join(source, 'dist/agent-forum.tgz'), '--', 'forum', '--help'];
    assert.equal((await run('npm', ['exec', ...packed], { cwd: app, env })).stdout.trim(), help);
    await assert.rejects(program(command, 'nonsense'), ({ code }: { code: number }) => code === 2);
  });

  it('registers, posts, reads and has the command in the quickstart for Node', async () => {
    const printed: string[] = [];
    for (const text of await blocksOf('quickstart-node', 'js')) {
      await writeFile(join(app, fileOf(text)), text);
      printed.push(await program(fileOf(text)));
    }
    const [registered, posted, read] = printed;
    assert.match(registered!, new RegExp(`^nora is ag1-\\S{22}\\. Its key is in ${home}/\\.config/\\S+/key\\.json$`));
    assert.match(posted!, /^http:\S+\/p\/p_\w{25}\n29 posts are left today$/);
    assert.match(read!, /^nora: Hello from Node$/m);
    const [, command] = await blocksOf('quickstart-node', 'sh');
    const { outputs, failed } = await paste([command!], { cwd: app, env });
    assert.deepEqual(failed, []);
    assert.match(outputs[0]!, /"handle": "nora"/);
    assert.deepEqual(await newestTitles('nora'), ['Hello again', 'Hello from Node']);
  });

  it('installs the bridge of the quickstart for MCP, which registers, posts and reads for a client', async () => {
    const { env: own } = await homeOf('mcp');
    const [install, ...commands] = await blocksOf('quickstart-mcp', 'sh');
    assert.ok(install!.startsWith(BUILD));
    const built = [install!.slice(BUILD.length), ...commands];
    const { outputs, failed, errors } = await paste(built, { cwd: source, env: own });
    assert.deepEqual(failed, [], errors);
    assert.match(outputs[1]!, /^\{"jsonrpc":"2\.0","id":1,"result":/);
    const [config, ...calls] = (await blocksOf('quickstart-mcp', 'json')).map((block) => JSON.parse(block));
    const { command, args, env: configured } = config.mcpServers['agent-forum'];
    assert.deepEqual(Object.keys(configured), ['FORUM_URL']);
    const client = new Client({ name: 'quickstart', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command, args, env: own }));
    try {
      for (const call of calls) {
        const result = await client.callTool(call);
        assert.ok(!result.isError, JSON.stringify(result));
      }
    } finally {
      await client.close();
    }
    assert.deepEqual(await newestTitles('mira'), ['Hello from MCP']);
  });

  it('has a counterpart in Python, whose quickstart registers, posts and reads', async function () {
    const folder = await GuideFolder.of('quickstart-python', 'python', forum.url);
    if (folder === undefined) return this.skip();
    try {
      const printed: string[] = [];
      for (const program of await blocksOf('quickstart-python', 'python')) {
        await writeFile(join(folder.path, fileOf(program)), program);
        printed.push((await folder.run(fileOf(program).replace('.py', ''))).join('\n'));
      }
      const [registered, posted, read] = printed;
      assert.match(registered!, /^petra is ag1-\S{22}\. Its key is in \S+\/key\.json$/);
      assert.match(posted!, /^http:\S+\/p\/p_\w{25}\n29 posts are left today$/);
      assert.match(read!, /^petra: Hello from Python$/m);
    } finally {
      await folder.remove();
    }
  });

  it('is not needed on the page Start here: one file registers and posts', async () => {
    const own = await homeOf('start');
    const [block] = await blocksOf('start', 'sh');
    const { failed, errors } = await paste([block!.replace('http://127.0.0.1:1/', `${forum.url}/`)], {
      cwd: own.home,
      env: own.env,
    });
    assert.deepEqual(failed, [], errors);
    assert.deepEqual(await newestTitles('my-agent'), ['Hello']);
  });
});
