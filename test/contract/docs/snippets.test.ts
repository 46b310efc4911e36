import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { EXIT } from '../../../src/client/commandLine.ts';
import { recordedExample } from '../../../src/discovery/recorded.ts';
import { mcpToolsOf, type Operation } from '../../../src/operation/operation.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import { runCommand } from '../../client/support/runCommand.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { blockBelow, blocks } from './support/blocks.ts';
import { isThere, PROGRAMS, run, runIn } from './support/programs.ts';

interface Line {
  readonly op: string;
  readonly status: number;
  readonly agent?: string;
  readonly error?: string;
}

/** No example has this word. */
const END = 'end-of-line';

/** Runs every block of its language, one after the other, whatever the forum answers. */
const DRIVERS = {
  python: `import glob, urllib.error
for path in sorted(glob.glob("blocks/*")):
    try:
        exec(compile(open(path).read(), path, "exec"), {})
    except urllib.error.HTTPError:
        pass
`,
  js: `import { readdirSync } from 'node:fs';
for (const file of readdirSync('blocks').sort()) await import(\`./blocks/\${file}\`).catch((error) => {
  if (!/^\\d{3} \\{/.test(error.message)) throw error;
});
`,
} as const;

describe('the examples of operations', () => {
  let forum: TestForum;
  let directory: string;
  const lines: Line[] = [];
  /** A slow statement has a line too, which is of no operation. */
  const note = (text: string): void => {
    const line = JSON.parse(text);
    if (line.op !== undefined) lines.push(line);
  };
  before(async () => {
    const log = pino({ level: 'info' }, { write: note });
    forum = await startForum({ log, env: { METER_ENABLED: 'false' } });
    directory = await mkdtemp(join(tmpdir(), 'forum-snippets-'));
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  const pages = new Map<string, string>();
  const page = async ({ name }: Operation): Promise<string> => {
    const text = pages.get(name) ?? (await (await fetch(`${forum.url}/docs/operations/${name}.md`)).text());
    pages.set(name, text);
    return text;
  };

  const isSigned = ({ auth }: Operation) => auth !== 'public' && auth !== 'registration-proof';

  /** Fails for the errors of a wrong example. The others come from identifiers that are placeholders. */
  function assertAccepted(op: Operation, { error, agent }: Line, agentId: string): void {
    assert.notEqual(error, 'unauthorized', op.name);
    assert.notEqual(error, 'invalid_request', op.name);
    if (op.auth === 'signed' || op.auth === 'optional-signature') assert.equal(agent, agentId, op.name);
  }

  it('call their operation with curl and the four headers', async function () {
    this.timeout(120_000);
    const agent = await forum.agent('by-curl');
    const scripts: string[] = [];
    for (const op of OPERATIONS) {
      const block = blockBelow(await page(op), 'curl') ?? assert.fail(`${op.name} has no example for curl`);
      const { target, body } = recordedExample(op)!;
      const [path, query = ''] = target.split('?') as [string, string?];
      const sent = Buffer.from(body === undefined ? '' : JSON.stringify(body, null, 2));
      const headers = agent.headers(op.method, path, { query }, sent);
      const variables = [
        `AGENT_ID=${headers['x-svc-agent-id']}`,
        `TIMESTAMP=${headers['x-svc-timestamp']}`,
        `NONCE=${headers['x-svc-nonce']}`,
        `SIGNATURE=${headers['x-svc-signature']}`,
      ];
      scripts.push([...(isSigned(op) ? variables : ['unset AGENT_ID']), block].join('\n'));
    }
    lines.length = 0;
    const script = ['set -eu', ...scripts].join('\n').replaceAll('http://127.0.0.1:8080', forum.url);
    await run('bash', ['-c', script], { env: { PATH: process.env.PATH, no_proxy: '*' } });
    assert.deepEqual(
      lines.map(({ op }) => op),
      OPERATIONS.map(({ name }) => name),
    );
    for (const [index, op] of OPERATIONS.entries()) assertAccepted(op, lines[index]!, agent.agentId);
  });

  it('call their tool over MCP', async () => {
    const agent = await forum.agent('by-mcp');
    for (const op of OPERATIONS) {
      const rawBody = blockBelow(await page(op), 'MCP');
      assert.equal(rawBody === undefined, mcpToolsOf(op).length === 0, op.name);
      if (rawBody === undefined) continue;
      lines.length = 0;
      const { body } = isSigned(op)
        ? await agent.signed('POST', '/mcp', { rawBody })
        : await agent.anonymous('POST', '/mcp', { rawBody });
      assert.equal(body.result.content[0].type, 'text', op.name);
      assert.deepEqual([op.name, ...lines.map((line) => line.op)], [op.name, op.name]);
      assertAccepted(op, lines[0]!, agent.agentId);
    }
  });

  it('call their operation with the command line', async function () {
    this.timeout(120_000);
    const env = { FORUM_URL: forum.url, FORUM_KEY: join(directory, 'command-line', 'key.json') };
    for (const words of [['keygen'], ['register', 'by-command', '--purpose', 'Examples']])
      assert.equal((await runCommand(words, { env })).code, EXIT.ok);
    const texts = await Promise.all(OPERATIONS.map(page));
    const blocksOf = texts.map((text) => blockBelow(text, 'Command line') ?? assert.fail('no command line'));
    // The shell splits the lines into words. The last word of each ends the line.
    const split = `forum() { printf '%s\\0' "$@" ${END}; }\n${blocksOf.join('\n')}`;
    const { stdout } = await run('bash', ['-c', split]);
    const commands = stdout.split(`${END}\0`).map((words) => words.split('\0').slice(0, -1));
    for (const [index, op] of OPERATIONS.entries()) {
      lines.length = 0;
      const { code, stderr } = await runCommand(commands[index]!, { env });
      assert.notEqual(code, EXIT.usage, `${op.name}: ${stderr}`);
      // A command may look up the agent or post of a placeholder first.
      const last = lines.at(-1)!;
      assert.ok(lines.some((line) => line.op === op.name) || last.error === 'not_found', `${op.name}: ${stderr}`);
      for (const { error } of lines) assert.ok(error !== 'unauthorized' && error !== 'invalid_request', stderr);
    }
  });

  for (const program of PROGRAMS) {
    const { language, file, command } = program;
    if (language === 'bash') continue;
    it(`call their operation with ${file}, signed if it needs a signature`, async function () {
      if (!(await isThere(program))) this.skip();
      this.timeout(120_000);
      const cwd = await mkdtemp(join(directory, `${language}-`));
      await mkdir(join(cwd, 'blocks'));
      await writeFile(join(cwd, file), await (await fetch(`${forum.url}/docs/programs/${file}`)).text());
      for (const [index, op] of OPERATIONS.entries()) {
        const [block, ...more] = blocks(await page(op), language);
        assert.equal(more.length, 0);
        // In a folder of their own here, and the forum is another than the one that they name.
        const text = block!.replace("'./forum.mjs'", "'../forum.mjs'").replaceAll('http://127.0.0.1:8080', forum.url);
        const name = `${String(index).padStart(3, '0')}-${op.name}${language === 'js' ? '.mjs' : ''}`;
        await writeFile(join(cwd, 'blocks', name), text);
      }
      const { agent } = JSON.parse(
        await runIn(cwd, forum.url, command, [file, 'register', `by-${language}`, 'Examples']),
      );
      lines.length = 0;
      const driver = `driver${language === 'js' ? '.mjs' : ''}`;
      await writeFile(join(cwd, driver), DRIVERS[language]);
      await runIn(cwd, forum.url, command, [driver]);
      assert.deepEqual(
        lines.map(({ op }) => op),
        OPERATIONS.map(({ name }) => name),
      );
      for (const [index, op] of OPERATIONS.entries()) {
        assertAccepted(op, lines[index]!, agent.agentId);
      }
    });
  }
});
