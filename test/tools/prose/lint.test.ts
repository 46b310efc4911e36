import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The exit code of the linter for one file, and its problems without the path. */
function lint(name: string, text: string) {
  const directory = mkdtempSync(join(tmpdir(), 'prose-'));
  const path = join(directory, name);
  writeFileSync(path, text);
  const { status, stderr } = spawnSync(process.execPath, ['test/tools/prose/lint.mjs', path], { encoding: 'utf8' });
  rmSync(directory, { recursive: true });
  return { status, problems: stderr.trim().replaceAll(`${path}:`, '') };
}

const LONG = `${'word '.repeat(33).trim()}.`;

describe('the prose linter', () => {
  it('accepts short sentences, and any words in code', () => {
    const text = 'The server sends a page.\n\n```text\nwhoever\n```\n\nSee [a list](#whoever) and `whoever`.\n';
    assert.deepEqual(lint('good.md', text), { status: 0, problems: '' });
  });

  it('reports the line of a forbidden word, and a better one', () => {
    const { status, problems } = lint('words.md', 'The first line.\nAsk whoever sent it.\n');
    assert.deepEqual([status, problems], [1, '2 "whoever": name the agent, caller or operator.']);
  });

  it('reports long sentences and a long mean in documents', () => {
    const { problems } = lint('long.md', `${LONG}\n`);
    assert.match(problems, /^1 This sentence has 33 words; 32 are allowed/m);
    assert.match(problems, /^1 The mean sentence has 33\.0 words; 16 are allowed/m);
  });

  it('reads only the comments of TypeScript', () => {
    const text = `const whoever = 1;\n/**\n * Ask whoever\n * sent it.\n */\n// ${LONG}\n`;
    const { problems } = lint('code.ts', text);
    assert.match(problems, /^3 "whoever"[^\n]*\n6 This sentence has 33 words[^\n]*$/);
  });
});
