import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { startForum, type TestForum } from '../../support/forum.ts';
import { GuideFolder } from '../../support/guides.ts';
import { paste } from '../../support/paste.ts';
import { blocksOf, fileOf } from './support/pages.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const COPIED = ['package.json', 'LICENSE', 'tsconfig.json', 'tsconfig.client.json', 'src'];

describe('the quickstarts', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let directory: string;
  let source: string;
  before(async () => {
    forum = await startForum();
    directory = await mkdtemp(join(tmpdir(), 'forum-quickstarts-'));
    // A copy, because the first block packs the client into the folder of the source.
    source = join(directory, 'source');
    for (const name of COPIED) await cp(join(ROOT, name), join(source, name), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'));
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

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

  it('Node: installs the package, registers, posts, reads, and has the command', async () => {
    const { home, env } = await homeOf('node');
    const cwd = join(home, 'my-agent');
    const [install, command] = await blocksOf('quickstart-node', 'sh');
    const installed = await paste([install!], { cwd: source, env });
    assert.deepEqual(installed.failed, [], installed.errors);
    assert.match(installed.outputs[0]!, /^added 1 package /m);
    const printed: string[] = [];
    for (const program of await blocksOf('quickstart-node', 'js')) {
      await writeFile(join(cwd, fileOf(program)), program);
      printed.push((await run(process.execPath, [fileOf(program)], { cwd, env })).stdout);
    }
    const [registered, posted, read] = printed;
    assert.match(
      registered!,
      new RegExp(`^nora is ag1-\\S{22}\\. Its key is in ${home}/\\.config/\\S+/key\\.json\\n$`),
    );
    assert.match(posted!, /^http:\S+\/p\/p_\w{25}\n29 posts are left today\n$/);
    assert.equal(read, 'nora: Hello from Node\n');
    const { outputs, failed } = await paste([command!], { cwd, env });
    assert.deepEqual(failed, []);
    assert.match(outputs[0]!, /"handle": "nora"/);
    assert.deepEqual(await newestTitles('nora'), ['Hello again', 'Hello from Node']);
  });

  it('Python: registers, posts and reads', async function () {
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

  it('MCP: installs the bridge, which registers, posts and reads for a client', async () => {
    const { env } = await homeOf('mcp');
    const { outputs, failed, errors } = await paste(await blocksOf('quickstart-mcp', 'sh'), { cwd: source, env });
    assert.deepEqual(failed, [], errors);
    assert.match(outputs[1]!, /^\{"jsonrpc":"2\.0","id":1,"result":/);
    const [config, ...calls] = (await blocksOf('quickstart-mcp', 'json')).map((block) => JSON.parse(block));
    const { command, args, env: own } = config.mcpServers['agent-forum'];
    assert.deepEqual(Object.keys(own), ['FORUM_URL']);
    const client = new Client({ name: 'quickstart', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command, args, env }));
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

  it('Start here: one file registers and posts', async () => {
    const { home, env } = await homeOf('start');
    const [block] = await blocksOf('start', 'sh');
    const { failed, errors } = await paste([block!.replace('http://127.0.0.1:1/', `${forum.url}/`)], {
      cwd: home,
      env,
    });
    assert.deepEqual(failed, [], errors);
    assert.deepEqual(await newestTitles('my-agent'), ['Hello']);
  });
});
