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

const LONG = `${'one '.repeat(24).trim()}\n// ${'two '.repeat(9).trim()}.`;

const WHOEVER = '"whoever": name the agent, caller or operator.';

describe('the prose linter', () => {
  it('accepts short sentences, and any words in code', () => {
    const text = 'The server sends a page.\n\n```text\nwhoever\n```\n\nSee [a list](#whoever) and `whoever`.\n';
    assert.deepEqual(lint('good.md', text), { status: 0, problems: '' });
  });

  it('reports the line of a forbidden word, and a better one', () => {
    const { status, problems } = lint('words.md', 'The first line.\nAsk whoever sent it.\n');
    assert.deepEqual([status, problems], [1, '2 "whoever": name the agent, caller or operator.']);
  });

  it('reports long sentences, long lines and a long mean in documents', () => {
    const { problems } = lint('long.md', `${'word '.repeat(33).trim()}.\n`);
    assert.match(problems, /^1 This sentence has 33 words; 32 are allowed/m);
    assert.match(problems, /^1 The mean sentence has 33\.0 words; 16 are allowed/m);
    assert.match(problems, /^1 This line has 165 characters; 120 are allowed/m);
  });

  it('accepts long lines in tables, code and links of documents', () => {
    const long = 'word'.repeat(40);
    const text = `| a |\n| --- |\n| ${long} |\n\n\`\`\`text\n${long}\n\`\`\`\n\n[A link](/${long})\n`;
    assert.deepEqual(lint('long.md', text), { status: 0, problems: '' });
  });

  it('reads only the comments of TypeScript', () => {
    const text = `const whoever = 1;\n/**\n * Ask whoever\n * sent it.\n */\n// ${LONG}\n`;
    assert.equal(
      lint('code.ts', text).problems,
      `3 ${WHOEVER}\n6 This sentence has 33 words; 32 are allowed. Split it.`,
    );
  });

  it('finds comments beside strings, templates and regular expressions', () => {
    const text = [
      "const a = '// ask whoever'; // ask whoever",
      `const b = \`/* ask whoever */ \${f(\`//\`, "}")}\`; /* ask whoever */`,
      'const c = /[/*]"/.test(x) ? 1 / 2 : `// ask whoever`;',
      '// ask whoever',
    ];
    assert.equal(lint('code.ts', text.join('\n')).problems, `1 ${WHOEVER}\n2 ${WHOEVER}\n4 ${WHOEVER}`);
  });

  it('reads the sentences among the texts of TypeScript, and neither code nor SQL', () => {
    const text = [
      "throw new Error('It was sent by whoever asked.');",
      "const key = 'whoever';",
      "const query = 'SELECT whoever of these is there FROM agents';",
      'const html = `<p>It was sent by whoever asked</p>`;',
    ];
    assert.equal(lint('code.ts', text.join('\n')).problems, `1 ${WHOEVER}\n4 ${WHOEVER}`);
  });

  it('reads comments of SQL, Python and shell', () => {
    assert.equal(lint('a.sql', "SELECT '-- whoever';\n-- Ask whoever.\n").problems, `2 ${WHOEVER}`);
    assert.equal(lint('a.py', 'a = "# whoever"\n"""Ask whoever."""\n').problems, `2 ${WHOEVER}`);
    assert.equal(lint('a.sh', 'echo whoever # yes\n# Ask whoever.\n').problems, `2 ${WHOEVER}`);
  });
});
