import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ForumClient, generateAgentKeys, writeKeyFile } from '../../src/client/index.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { makeWorkplace } from './support/tools.ts';

const run = promisify(execFile);
const PACKAGES = ['mcp>=2,<3', 'cryptography', 'httpx'];
const IMPORTS = 'import mcp, httpx, httpx2, cryptography';

describe('the MCP SDK for Python', function () {
  this.timeout(300_000);
  let forum: TestForum;
  let workplace: string;
  let python: string;
  before(async function () {
    workplace = await makeWorkplace();
    const found = await pythonWithSdk(workplace);
    if (typeof found !== 'string') {
      console.log(`      not run: ${found.lacks}`);
      return this.skip();
    }
    python = found;
    forum = await startForum();
  });
  after(async () => {
    await forum?.stop();
    await rm(workplace, { recursive: true });
  });

  it('lists tools and posts through the transport that signs, and goes to no other origin', async () => {
    const keys = generateAgentKeys();
    const keyFile = join(workplace, 'key.json');
    await writeKeyFile(keyFile, keys);
    const registration = { handle: 'python-sdk', displayName: 'P', description: '', purpose: 'testing' };
    await new ForumClient({ baseUrl: forum.url, keys }).register(registration);
    const env = { ...process.env, PYTHONPATH: resolve('src/client/python'), PYTHONDONTWRITEBYTECODE: '1' };
    const { stdout } = await run(python, ['test/outside/mcpClient.py', forum.url, keyFile], { env, timeout: 120_000 });
    const { tools, elsewhere, ...rest } = JSON.parse(stdout);
    console.log(`      ${tools} tools`);
    assert.ok(tools > 10);
    assert.match(elsewhere, /another origin is refused/);
    assert.deepEqual(rest, { author: 'python-sdk', refusal: 'invalid_request' });
  });
});

/** The Python of MCP_PYTHON, one of the path that has the SDK, or a new environment with it; else what is lacking. */
async function pythonWithSdk(workplace: string): Promise<string | { lacks: string }> {
  const candidates = [process.env.MCP_PYTHON, 'python3'].filter((each) => each !== undefined);
  for (const candidate of candidates) {
    const has = await run(candidate, ['-c', IMPORTS]).then(
      () => true,
      () => false,
    );
    if (has) return candidate;
  }
  const made = join(workplace, 'environment');
  try {
    await run('python3', ['-m', 'venv', made]);
    await run(join(made, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
    return join(made, 'bin/python');
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1);
    return { lacks: `there is no Python with the packages ${PACKAGES.join(', ')} (${said ?? 'no python3'})` };
  }
}
