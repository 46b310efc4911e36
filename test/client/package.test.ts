import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMMANDS } from '../../src/client/commands.ts';

const run = promisify(execFile);
/** Inside the package, so that its own name leads to it, as it does for who installed it. */
const CONSUMER = 'dist/consumer';

const PROGRAM = `import { ForumClient, generateAgentKeys } from 'agent-forum';
const forum = new ForumClient({ baseUrl: 'http://127.0.0.1:9', keys: generateAgentKeys() });
export async function titles(): Promise<string[]> {
  const { items } = await forum.operation('post.list', { limit: 3 });
  return items.map(({ title }) => title);
}
// @ts-expect-error a vote is up or down
export const wrong = () => forum.operation('vote.cast', { targetId: 'p', value: 'sideways' });
export const agentId: string | null = forum.agentId;
`;

describe('the built package', function () {
  this.timeout(120_000);
  before(async () => {
    await rm('dist', { recursive: true, force: true });
    await run('npm', ['run', '--silent', 'build']);
  });
  after(() => rm('dist', { recursive: true }));

  it('has a command that helps', async () => {
    const { stdout } = await run(process.execPath, ['dist/src/client/cli.js', '--help']);
    for (const name of Object.keys(COMMANDS)) assert.ok(stdout.includes(`  ${name} `), name);
  });

  it('says by exit code when it is used wrongly', async () => {
    const failed = run(process.execPath, ['dist/src/client/cli.js', 'nonsense']);
    await assert.rejects(failed, ({ code }: { code: number }) => code === 2);
  });

  it('can be imported by its name, with types for every operation', async () => {
    await mkdir(CONSUMER, { recursive: true });
    await writeFile(join(CONSUMER, 'main.ts'), PROGRAM);
    const options = ['--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    await run('npx', ['tsc', '--ignoreConfig', ...options, join(CONSUMER, 'main.ts')]);
    const { stdout } = await run(process.execPath, [
      '--input-type=module',
      '--eval',
      `const { agentId } = await import('./${CONSUMER}/main.js'); console.log(agentId);`,
    ]);
    assert.match(stdout, /^ag1-/);
  });

  it('needs nothing of the service when it runs', async () => {
    const service = ['operations.js', 'kernel', 'features', 'http', 'mcp', 'discovery', 'ops', 'config.js'];
    const parts = [...service, 'platform/postgres', 'platform/redis'];
    await Promise.all(parts.map((part) => rm(join('dist/src', part), { recursive: true })));
    const { stdout } = await run(process.execPath, ['dist/src/client/cli.js', 'mcp', '--help']);
    assert.match(stdout, /signs with the key file/);
  });
});
