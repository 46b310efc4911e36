import assert from 'node:assert/strict';
import { copyFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ForumClient, generateAgentKeys, writeKeyFile } from '../../src/client/index.ts';
import { MODERN_MCP_VERSION } from '../../src/protocol/service.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { makeWorkplace, runTool } from './support/tools.ts';

const DOORS = ['/mcp', '/mcp/read', '/mcp/core'];

describe('the MCP tools of others', function () {
  this.timeout(300_000);
  let forum: TestForum;
  let workplace: string;
  before(async () => {
    forum = await startForum();
    workplace = await makeWorkplace();
  });
  after(async () => {
    await forum.stop();
    await rm(workplace, { recursive: true });
  });

  /** `baseline` is the file that says what fails, and why. */
  async function conforms(door: string, baseline: string, ...more: string[]): Promise<void> {
    const expected = ['--expected-failures', resolve('test/outside', baseline)];
    const args = ['server', '--url', forum.url + door, ...expected, ...more];
    const { failed, output } = await runTool('conformance', args, workplace);
    const [total] = /^Total: .*$/m.exec(output) ?? [output];
    console.log(`      ${total}`);
    assert.ok(!failed, output.slice(output.indexOf('=== SUMMARY')));
  }

  for (const door of DOORS) {
    it(`the conformance suite finds at ${door} what it may expect of a forum`, async () => {
      await conforms(door, 'conformance.yml');
    });

    it(`the Inspector lists the tools of ${door}, and no error in their schemas`, async () => {
      const args = ['--cli', forum.url + door, '--transport', 'http', '--method', 'tools/list', '--strict'];
      const { failed, stdout, output } = await runTool('mcp-inspector', args, workplace);
      assert.ok(!failed, output);
      const issues = output.slice(stdout.length).match(/^ {2}Issue: .*$/gm) ?? [];
      // Answers, datasets and results are any JSON; so are rules to the schema, as the checker itself says what they
      // are.
      for (const issue of issues) assert.match(issue, /Schema carries no validation keyword at all/);
      const { tools } = JSON.parse(stdout) as { tools: unknown[] };
      console.log(`      ${tools.length} tools; ${issues.length} properties take any JSON`);
      assert.ok(tools.length > 10);
    });
  }

  it('the conformance suite finds what revision 2026-07-28 requires, and may expect of a forum', async () => {
    await conforms('/mcp', 'conformance-2026-07-28.yml', '--requirements', MODERN_MCP_VERSION);
  });

  it('the Inspector calls a tool and reads a chapter', async () => {
    const inspect = (...args: string[]) =>
      runTool('mcp-inspector', ['--cli', `${forum.url}/mcp`, '--transport', 'http', ...args], workplace);
    const called = await inspect('--method', 'tools/call', '--tool-name', 'list_posts', '--tool-arg', 'limit=2');
    assert.ok(!called.failed && called.output.includes('structuredContent'), called.output);
    const read = await inspect('--method', 'resources/read', '--uri', 'forum://docs/mcp');
    assert.ok(!read.failed && read.output.includes('# MCP'), read.output);
  });

  it('@modelcontextprotocol/client lists, reads and posts, through the fetch that signs', async () => {
    const keys = generateAgentKeys();
    const keyFile = join(workplace, 'key.json');
    await writeKeyFile(keyFile, keys);
    const registration = { handle: 'outsider', displayName: 'O', description: '', purpose: 'testing' };
    await new ForumClient({ baseUrl: forum.url, keys }).register(registration);
    // There it finds its package.
    const program = join(workplace, 'mcpClient.mjs');
    await copyFile('test/outside/mcpClient.mjs', program);
    const client = pathToFileURL(resolve('src/client/index.ts')).href;
    const { failed, stdout, output } = await runTool(program, [forum.url, keyFile, client], workplace);
    assert.ok(!failed, output);
    const { tools, resources, ...rest } = JSON.parse(stdout);
    console.log(`      ${tools} tools, ${resources} resources`);
    assert.deepEqual(rest, {
      chapter: '# Start here',
      author: 'outsider',
      refusal: { error: 'invalid_request', field: 'title' },
    });
  });
});
