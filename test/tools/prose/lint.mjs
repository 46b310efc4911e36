// Checks the prose of documents and of comments against `.ci/prose.json`: the length of sentences, and words to avoid.
// `npm run lint` runs it. With file names as arguments it checks those alone; `--measure` prints words and sentence lengths.
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import { split } from 'sentence-splitter';

const config = JSON.parse(await readFile('.ci/prose.json', 'utf8'));
const forbidden = config.forbidden.map((entry) => ({ ...entry, pattern: new RegExp(entry.pattern) }));

function list(patterns) {
  return execFileSync('git', ['ls-files', '--', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

/** Blanks out code and the targets of links. The length stays, so that positions still fit the source. */
function maskCode(source) {
  return source
    .replace(/(`+)[\s\S]+?\1/g, (code) => `C${'o'.repeat(code.length - 1)}`)
    .replace(/\]\([^)]*\)/g, (target) => ' '.repeat(target.length))
    .replace(/<[^>]*>/g, (tag) => ' '.repeat(tag.length))
    .replace(/[\n*_[\]>|]/g, ' ')
    .replace(/(\d|\bms)(?=\.\s)/g, (word) => 'n'.repeat(word.length)); // The splitter ends no sentence after these.
}

function sentencesOf(source) {
  return split(maskCode(source))
    .filter(({ type }) => type === 'Sentence')
    .map(({ raw, range: [start] }) => ({
      text: raw.trimStart(),
      start: start + raw.length - raw.trimStart().length,
      words: raw.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
    }))
    .filter(({ words }) => words > 0);
}

/** Returns the comments of a TypeScript file as Markdown. Every line keeps its number. */
function commentsOf(source) {
  let isInBlock = false;
  const lines = source.split('\n').map((line) => {
    const text = line.trim();
    const isBlock = isInBlock || text.startsWith('/*');
    isInBlock = isBlock && !text.includes('*/');
    if (isBlock) {
      return text.replace(/^(\/\*+|\*(?!\/))\s?/, '').replace(/\s*\*+\/.*$/, '');
    }
    return /^\/\/ (?!biome-ignore|@ts-)/.test(text) ? text.slice(3) : '';
  });
  return lines.join('\n');
}

/** The textlint rule. Cells of tables count for the longest sentence, not for the mean. */
function proseRule({ Syntax, RuleError, report, locator, getSource, getFilePath }, { measured, isComment }) {
  const lengths = [];
  let longest = 0;
  const check = (node) => {
    for (const { text, start, words } of sentencesOf(getSource(node))) {
      const complain = (message, index = start) => report(node, new RuleError(message, { padding: locator.at(index) }));
      longest = Math.max(longest, words);
      if (node.type === Syntax.Paragraph) {
        lengths.push(words);
      }
      if (words > config.wordsPerSentence) {
        complain(`This sentence has ${words} words; ${config.wordsPerSentence} are allowed. Split it.`);
      }
      for (const { pattern, write, documentsOnly } of forbidden) {
        const found = documentsOnly && isComment ? null : pattern.exec(text);
        if (found) {
          complain(`"${found[0].trim()}": ${write}.`, start + found.index);
        }
      }
    }
  };
  return {
    [Syntax.Paragraph]: check,
    [Syntax.TableCell]: check,
    [Syntax.DocumentExit](node) {
      const words = lengths.reduce((sum, length) => sum + length, 0);
      const mean = words / Math.max(1, lengths.length);
      measured.push({ file: getFilePath(), words, sentences: lengths.length, mean, longest });
      if (!isComment && mean > config.meanWordsPerSentence) {
        const means = `${mean.toFixed(1)} words; ${config.meanWordsPerSentence} are allowed`;
        report(node, new RuleError(`The mean sentence has ${means}. Shorten the sentences of this document.`));
      }
    },
  };
}

const kernel = new TextlintKernel();

async function lint(file, measured) {
  const isComment = /\.tsx?$/.test(file);
  const source = await readFile(file, 'utf8');
  const { messages } = await kernel.lintText(isComment ? commentsOf(source) : source, {
    filePath: file,
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default ?? markdown }],
    rules: [{ ruleId: 'prose', rule: proseRule, options: { measured, isComment } }],
  });
  return messages.map(({ line, message }) => `${file}:${line} ${message}`);
}

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const notYet = new Set(config.notYet.length > 0 ? list(config.notYet) : []);
const files = named.length > 0 ? named : list(config.files).filter((file) => !notYet.has(file));
const measured = [];
const problems = [];
for (const file of files) {
  problems.push(...(await lint(file, measured)));
}
if (process.argv.includes('--measure')) {
  for (const { file, words, sentences, mean, longest } of measured) {
    console.log(`${file}: ${words} words, ${sentences} sentences, mean ${mean.toFixed(1)}, longest ${longest}`);
  }
}
for (const problem of problems) {
  console.error(problem);
}
console.log(`Prose: ${files.length} files, ${problems.length} problems.`);
process.exitCode = problems.length > 0 ? 1 : 0;
