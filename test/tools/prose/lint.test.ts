import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** The exit code of the linter for these files, and the problems of each without its path. */
function lint(texts: Readonly<Record<string, string>>) {
  const directory = mkdtempSync(join(tmpdir(), 'prose-'));
  const paths = Object.keys(texts).map((name) => join(directory, name));
  for (const path of paths) writeFileSync(path, texts[basename(path)]!);
  const { status, stderr } = spawnSync(process.execPath, ['test/tools/prose/lint.mjs', ...paths], { encoding: 'utf8' });
  rmSync(directory, { recursive: true });
  const lines = stderr.trim().split('\n');
  const problemsOf = (path: string) =>
    lines.flatMap((line) => (line.startsWith(`${path}:`) ? [line.slice(path.length + 1)] : [])).join('\n');
  return { status, problems: Object.fromEntries(paths.map((path) => [basename(path), problemsOf(path)])) };
}

const LONG = `${'one '.repeat(24).trim()}\n// ${'two '.repeat(9).trim()}.`;

const WHOEVER = '"whoever": name the agent, caller or operator.';

const LONG_WORD = 'word'.repeat(40);
/** One run checks them all: most of a run is its start. */
const FAULTY = {
  'words.md': 'The first line.\nAsk whoever sent it.\n',
  'long.md': `${'word '.repeat(33).trim()}.\n`,
  'comments.ts': `const whoever = 1;\n/**\n * Ask whoever\n * sent it.\n */\n// ${LONG}\n`,
  'beside.ts': [
    "const a = '// ask whoever'; // ask whoever",
    `const b = \`/* ask whoever */ \${f(\`//\`, "}")}\`; /* ask whoever */`,
    'const c = /[/*]"/.test(x) ? 1 / 2 : `// ask whoever`;',
    '// ask whoever',
  ].join('\n'),
  'texts.ts': [
    "throw new Error('It was sent by whoever asked.');",
    "const key = 'whoever';",
    "const query = 'SELECT whoever of these is there FROM agents';",
    'const html = `<p>It was sent by whoever asked</p>`;',
  ].join('\n'),
  'a.sql': "SELECT '-- whoever';\n-- Ask whoever.\n",
  'a.py': 'a = "# whoever"\n"""Ask whoever."""\n',
  'a.sh': 'echo whoever # yes\n# Ask whoever.\n',
} as const;

describe('the prose linter', () => {
  let status: number | null;
  let problems: Record<string, string>;
  before(() => {
    ({ status, problems } = lint(FAULTY));
  });
  const problemsOf = (name: keyof typeof FAULTY): string => problems[name]!;

  it('accepts short sentences, any words in code, and long lines in tables, code and links of documents', () => {
    const good = 'The server sends a page.\n\n```text\nwhoever\n```\n\nSee [a list](#whoever) and `whoever`.\n';
    const long = `| a |\n| --- |\n| ${LONG_WORD} |\n\n\`\`\`text\n${LONG_WORD}\n\`\`\`\n\n[A link](/${LONG_WORD})\n`;
    const accepted = lint({ 'good.md': good, 'long.md': long });
    assert.deepEqual(accepted, { status: 0, problems: { 'good.md': '', 'long.md': '' } });
  });

  it('reports the line of a forbidden word, and a better one', () => {
    assert.deepEqual([status, problemsOf('words.md')], [1, `2 ${WHOEVER}`]);
  });

  it('reports long sentences, long lines and a long mean in documents', () => {
    assert.match(problemsOf('long.md'), /^1 This sentence has 33 words; 32 are allowed/m);
    assert.match(problemsOf('long.md'), /^1 The mean sentence has 33\.0 words; 16 are allowed/m);
    assert.match(problemsOf('long.md'), /^1 This line has 165 characters; 120 are allowed/m);
  });

  it('reads only the comments of TypeScript', () => {
    assert.equal(problemsOf('comments.ts'), `3 ${WHOEVER}\n6 This sentence has 33 words; 32 are allowed. Split it.`);
  });

  it('finds comments beside strings, templates and regular expressions', () => {
    assert.equal(problemsOf('beside.ts'), `1 ${WHOEVER}\n2 ${WHOEVER}\n4 ${WHOEVER}`);
  });

  it('reads the sentences among the texts of TypeScript, and neither code nor SQL', () => {
    assert.equal(problemsOf('texts.ts'), `1 ${WHOEVER}\n4 ${WHOEVER}`);
  });

  it('reads comments of SQL, Python and shell', () => {
    for (const name of ['a.sql', 'a.py', 'a.sh'] as const) assert.equal(problemsOf(name), `2 ${WHOEVER}`, name);
  });
});
