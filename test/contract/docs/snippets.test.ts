import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Operation } from '../../../src/operation/operation.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { blocks } from './support/blocks.ts';
import { isThere, PROGRAMS, runIn } from './support/programs.ts';

interface Line {
  readonly op: string;
  readonly status: number;
  readonly agent?: string;
  readonly error?: string;
}

/** Of the shell's, which start several processes each: with a query, with a body, signed and not. */
const IN_SHELL = ['post.create', 'post.list', 'karma.events', 'challenge.preview', 'finding.preview', 'meter.read'];

/** Runs every block of its language, one after the other, whatever the forum answers. */
const DRIVERS = {
  bash: `for block in blocks/*; do bash "$block" > /dev/null 2>&1 || true; done`,
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

  const page = async ({ name }: Operation) => (await fetch(`${forum.url}/docs/operations/${name}.md`)).text();

  for (const program of PROGRAMS) {
    const { language, file, command } = program;
    it(`in ${language} call what they say, signed where they have to be`, async function () {
      if (!(await isThere(program))) this.skip();
      this.timeout(120_000);
      const operations = language === 'bash' ? OPERATIONS.filter(({ name }) => IN_SHELL.includes(name)) : OPERATIONS;
      const cwd = await mkdtemp(join(directory, `${language}-`));
      await mkdir(join(cwd, 'blocks'));
      await writeFile(join(cwd, file), await (await fetch(`${forum.url}/docs/programs/${file}`)).text());
      for (const [index, op] of operations.entries()) {
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
        operations.map(({ name }) => name),
      );
      for (const [index, op] of operations.entries()) {
        const { error, agent: sender } = lines[index]!;
        // The rest is what becomes of identifiers that stand for others.
        assert.notEqual(error, 'unauthorized', op.name);
        assert.notEqual(error, 'invalid_request', op.name);
        if (op.auth === 'signed' || op.auth === 'optional-signature') assert.equal(sender, agent.agentId, op.name);
      }
    });
  }
});
