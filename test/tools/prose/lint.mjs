// Checks the prose of documents, comments and texts against `.ci/prose.json`: sentences, words to avoid, long lines.
// `npm run lint` runs it. With file names as arguments it checks those alone. `--measure` prints words and sentence
// lengths.
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import { split } from 'sentence-splitter';
import { proseOf } from './extract.mjs';

const config = JSON.parse(await readFile('.ci/prose.json', 'utf8'));
const forbidden = config.forbidden.map((entry) => ({ ...entry, pattern: new RegExp(entry.pattern) }));

function list(patterns) {
  if (patterns.length === 0) return [];
  return execFileSync('git', ['ls-files', '--', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

/** Blanks out code and the targets of links. The length stays, so that positions still fit the source. */
function maskCode(source) {
  return (
    source
      .replace(/(`+)[\s\S]+?\1|\ue000+/g, (code) => `C${'o'.repeat(code.length - 1)}`)
      .replace(/\]\([^)]*\)|\bdocs\/[\w-]+(#[\w-]+)?/g, (target) => ' '.repeat(target.length))
      .replace(/<[^>]*>/g, (tag) => ' '.repeat(tag.length))
      .replace(/[\n*_[\]>|]/g, ' ')
      // The splitter ends no sentence after these.
      .replace(/(\d|\bms)(?=\.\s)/g, (word) => 'n'.repeat(word.length))
  );
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

/**
 * Checks one paragraph. `complain` gets each problem with its offset. Returns the lengths of the sentences in words.
 */
function checkParagraph(paragraph, isComment, complain) {
  return sentencesOf(paragraph).map(({ text, start, words }) => {
    if (words > config.wordsPerSentence) {
      complain(`This sentence has ${words} words; ${config.wordsPerSentence} are allowed. Split it.`, start);
    }
    for (const { pattern, write, notInComments } of forbidden) {
      const found = notInComments && isComment ? null : pattern.exec(text);
      if (found) {
        complain(`"${found[0].trim()}": ${write}.`, start + found.index);
      }
    }
    return words;
  });
}

/** The textlint rule for documents. Cells of tables count for the longest sentence, not for the mean. */
function proseRule({ Syntax, RuleError, report, locator, getSource }, { counted }) {
  const lengths = [];
  let longest = 0;
  const check = (node) => {
    const complain = (message, index) => report(node, new RuleError(message, { padding: locator.at(index) }));
    const words = checkParagraph(getSource(node), false, complain);
    longest = Math.max(longest, ...words);
    if (node.type === Syntax.Paragraph) {
      lengths.push(...words);
    }
  };
  return {
    [Syntax.Paragraph]: check,
    [Syntax.TableCell]: check,
    [Syntax.DocumentExit](node) {
      const { mean } = counted(lengths, longest);
      if (mean > config.meanWordsPerSentence) {
        const means = `${mean.toFixed(1)} words; ${config.meanWordsPerSentence} are allowed`;
        report(node, new RuleError(`The mean sentence has ${means}. Shorten the sentences of this document.`));
      }
    },
  };
}

const kernel = new TextlintKernel();

async function checkDocument(file, source, counted) {
  const { messages } = await kernel.lintText(source, {
    filePath: file,
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default ?? markdown }],
    rules: [{ ruleId: 'prose', rule: proseRule, options: { counted } }],
  });
  return messages;
}

/** The end of a paragraph in a comment or a text: an empty line, or the beginning of a list item. */
const PARAGRAPH_END = /\n[ \t]*(?=\n)|\n(?=[ \t]*(?:[-*]|\d+\.) )/g;

function* paragraphsOf({ start, text }) {
  let from = 0;
  for (const { index } of text.matchAll(PARAGRAPH_END)) {
    yield { start: start + from, text: text.slice(from, index) };
    from = index;
  }
  yield { start: start + from, text: text.slice(from) };
}

const lineAt = (source, index) => source.slice(0, index).split('\n').length;

function checkSource({ comments, texts }, source, counted) {
  const problems = [];
  const lengths = [];
  for (const isComment of [true, false]) {
    for (const { start, text } of (isComment ? comments : texts).flatMap((block) => [...paragraphsOf(block)])) {
      const complain = (message, index) => problems.push({ line: lineAt(source, start + index), message });
      lengths.push(...checkParagraph(text, isComment, complain));
    }
  }
  counted(lengths, Math.max(0, ...lengths));
  return problems;
}

/** Targets of links, addresses and long literals, which cannot be broken. */
const UNBROKEN = /\]\([^)]*\)|\w+:\/\/\S+|(['"]).{60,}\1/g;

/** Reports lines over `config.lineWidth`. Biome formats code, so only comments count there. */
function checkLines(file, source, comments) {
  const isDocument = file.endsWith('.md');
  const inComments = new Set();
  for (const { start, text } of comments) {
    const first = lineAt(source, start);
    for (let line = first; line < first + text.split('\n').length; line += 1) inComments.add(line);
  }
  let isCode = false;
  return source.split('\n').flatMap((line, index) => {
    isCode = line.startsWith('```') ? !isCode : isCode;
    const isExempt = isDocument
      ? isCode || line.startsWith('|')
      : /\.(tsx?|mjs|css)$/.test(file) && !inComments.has(index + 1);
    const width = [...line.replace(UNBROKEN, '')].length;
    const message = `This line has ${width} characters; ${config.lineWidth} are allowed.`;
    return isExempt || width <= config.lineWidth ? [] : [{ line: index + 1, message }];
  });
}

async function lint(file, measured) {
  const source = await readFile(file, 'utf8');
  const counted = (lengths, longest) => {
    const words = lengths.reduce((sum, length) => sum + length, 0);
    const counts = { file, words, sentences: lengths.length, mean: words / Math.max(1, lengths.length), longest };
    measured.push(counts);
    return counts;
  };
  const { comments, texts } = proseOf(file, source);
  const problems = file.endsWith('.md')
    ? await checkDocument(file, source, counted)
    : checkSource({ comments, texts }, source, counted);
  return [...problems, ...checkLines(file, source, comments)]
    .sort((a, b) => a.line - b.line)
    .map(({ line, message }) => `${file}:${line} ${message}`);
}

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const excluded = new Set(list(config.notEdited));
const files = named.length > 0 ? named : list(config.files).filter((file) => !excluded.has(file));
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
