// Finds the prose of a source file: its comments, and the sentences among its string literals. Each result has the
// offset of its first character. Its lines are those of the source, so that problems can name a line.

const QUOTED = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y;
const REGEX = /\/(?![/*>])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
const SCRIPT_COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/y;
const WORD = /[\w$]+|\s+/y;
/** After one of these, a slash begins a regular expression. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+>]|\b(?:return|typeof|case|of|in|default))$/;

const SQL_PARTS = /(?<comment>--.*|\/\*[\s\S]*?\*\/)|'(?:[^']|'')*'/g;
const PYTHON_PARTS = /(?<comment>#.*|"""[\s\S]*?""")|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
const HASH_PARTS = /(?<=^[ \t]*)(?<comment>[#;](?!!).*)/gm;
const STYLE_PARTS = /(?<comment>\/\*[\s\S]*?\*\/)/g;

/** Returns the comments and texts of TypeScript or JavaScript. `${…}` in a template becomes spaces. */
function scan(source) {
  const comments = [];
  const texts = [];
  let last = '';
  const at = (pattern, index) => {
    pattern.lastIndex = index;
    return pattern.exec(source)?.[0];
  };
  const template = (start) => {
    let text = '';
    let index = start + 1;
    while (index < source.length && source[index] !== '`') {
      if (source.startsWith('${', index)) {
        const end = code(index + 2, '}');
        text += source.slice(index, end).replace(/[^\n]/g, '\ue000');
        index = end;
      } else {
        const length = source[index] === '\\' ? 2 : 1;
        text += length === 2 ? '  ' : source[index];
        index += length;
      }
    }
    texts.push({ start: start + 1, text });
    return index + 1;
  };
  const code = (start, closing) => {
    let depth = 0;
    let index = start;
    while (index < source.length) {
      const comment = at(SCRIPT_COMMENT, index);
      const quoted = at(QUOTED, index);
      const regex = BEFORE_REGEX.test(last) ? at(REGEX, index) : undefined;
      const character = source[index];
      if (comment) comments.push({ start: index, text: comment });
      if (quoted) texts.push({ start: index + 1, text: quoted.slice(1, -1).replace(/\\./g, '  ') });
      const token = comment ?? quoted ?? regex ?? at(WORD, index) ?? character;
      if (token === closing && depth === 0) return index + 1;
      depth += Number(token === '{') - Number(token === '}');
      index = token === '`' ? template(index) : index + token.length;
      if (!comment && token.trim() !== '') last = quoted || regex || token === '`' ? '"' : token;
    }
    return index;
  };
  code(0);
  return { comments, texts };
}

const PARTS = [
  [/\.sql$/, SQL_PARTS],
  [/\.py$/, PYTHON_PARTS],
  [/\.css$/, STYLE_PARTS],
  [/\.(sh|ya?ml|conf|ini|service|timer|toml|example)$|(^|\/)(Dockerfile|Caddyfile|run)$/, HASH_PARTS],
];

/** Replaces the marks of comments by spaces. Offsets and lines stay as they are. */
function unmark(comment) {
  const blank = (mark) => ' '.repeat(mark.length);
  return comment.replace(/^(\/\*+|\/\/|--|[#;]|""")|(\*+\/|""")$/g, blank).replace(/^\s*\*(?=\s|$)/gm, blank);
}

/** Joins comments on consecutive lines, such as those with `//`, to one. */
function joined(comments, source) {
  const blocks = [];
  for (const { start, text } of comments) {
    const block = blocks.at(-1);
    const gap = block && source.slice(block.start + block.text.length, start);
    const isNext = block && /^(\/\/|--|[#;])/.test(text) && /^\n[ \t]*$/.test(gap) && block.isLine;
    if (isNext) block.text += gap + unmark(text);
    else blocks.push({ start, text: unmark(text), isLine: /^(\/\/|--|[#;])/.test(text) });
  }
  return blocks.filter(({ text }) => !/^\s*(biome-ignore|@ts-|@vitest)/.test(text));
}

const SENTENCE = /(?:^|[\s("'])(?:[A-Za-z][a-z'’-]*[,;:]? ){3,}[A-Za-z][a-z'’-]*/;
const CODE =
  /\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WHERE|FROM|RETURNING|VALUES|JOIN|ORDER BY)\b|=>|\$\(|\b(const|local|import) /;
/** What precedes the title of a test. */
const BEFORE_TITLE = /\b(?:describe|it)(?:\.\w+)?\($/;

/** A list of words, such as those that a search ignores. */
const WORD_LIST = /^[a-z ]{120,}$/;

/** True for a text in words: at least four in a row, neither SQL nor code nor a list of words. */
const isSentence = (text) => SENTENCE.test(text) && !CODE.test(text) && !WORD_LIST.test(text);

/** Returns the `comments` and `texts` of a file, each with its offset. The texts of a test are its titles. */
export function proseOf(file, source) {
  if (/\.(tsx?|mjs)$/.test(file)) {
    const { comments, texts } = scan(source);
    const isTitle = ({ start }) => BEFORE_TITLE.test(source.slice(start - 20, start - 1));
    const shown = file.startsWith('test/') ? texts.filter(isTitle) : texts;
    return { comments: joined(comments, source), texts: shown.filter(({ text }) => isSentence(text)) };
  }
  const parts = PARTS.find(([name]) => name.test(file))?.[1];
  const found = parts ? [...source.matchAll(parts)].filter(({ groups }) => groups.comment) : [];
  return {
    comments: joined(
      found.map((match) => ({ start: match.index, text: match[0] })),
      source,
    ),
    texts: [],
  };
}
