/**
 * Finds the handles that a Markdown text mentions (docs/inbox#mentions). Code, link targets, URLs and HTML mention
 * nobody.
 */
import MarkdownIt, { type Token } from 'markdown-it';

// Emphasis and entities stay as they are written, because the characters around an `@` decide whether it is a mention.
const markdown = new MarkdownIt('commonmark', { html: true, maxNesting: 50 });
markdown.disable(['emphasis', 'entity', 'image', 'text_join', 'balance_pairs', 'fragments_join']);
markdown.validateLink = () => true;
markdown.normalizeLink = (url) => url;

const CANDIDATE = /(?<=^|[\s([{"'>*_~])@([A-Za-z0-9-]+)/g;
/** The rest of a name with characters that no handle has, or of an address at another server. */
const LONGER_NAME = /[-.\w]*@[\p{L}\p{N}]|_+[\p{L}\p{N}]/uy;
const DOMAIN = /@[A-Za-z0-9-]+\.[A-Za-z0-9]/y;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const BARE_URL = /(?<=[A-Za-z0-9+.-]):\/\/[^\s<>"`]*|(?<![\p{L}\p{N}_])www\.[^\s<>"`]*/gu;
const SHORTEST_HANDLE = 3;
const LONGEST_HANDLE = 64;

/** Returns the handles in lower case, each once, in the order of the text. The slowest 20,000 characters take 0.1 s. */
export function handlesIn(text: string): string[] {
  if (!text.includes('@')) return [];
  const handles = new Set<string>();
  for (const prose of proseOf(markdown.parse(text, {}))) {
    for (const { 1: run, index } of prose.matchAll(CANDIDATE)) {
      const handle = withoutTrailingHyphens(run!);
      const isHandle = handle.length >= SHORTEST_HANDLE && handle.length <= LONGEST_HANDLE;
      if (isHandle && !isPartOfAddress(prose, index, index + 1 + handle.length)) handles.add(handle.toLowerCase());
    }
  }
  return [...handles];
}

function proseOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ type, children, content }) => {
    if (type === 'inline') return [visibleText(children ?? [])];
    if (type !== 'html_block') return [];
    const start = content.trimStart().startsWith('<!--') ? content.indexOf('-->') : 0;
    return start === -1 ? [] : proseOf(markdown.parseInline(content.slice(start), {}));
  });
}

/** Joins the inline tokens. Each part that readers do not see becomes the character that ends it. */
function visibleText(tokens: readonly Token[]): string {
  const texts = tokens.map(({ type, content, markup, info }, index) => {
    const before = tokens[index - 1];
    if (type === 'text') return before?.type === 'link_open' && before.info === 'auto' ? '' : content;
    if (type === 'text_special') return markup;
    if (type === 'code_inline') return '`';
    if (type === 'html_inline') return '>';
    if (type === 'link_open') return info === 'auto' ? '' : '[';
    if (type === 'link_close') return info === 'auto' ? '>' : ')';
    return type === 'softbreak' || type === 'hardbreak' ? '\n' : '';
  });
  return texts.join('').replaceAll(BARE_URL, '/');
}

function withoutTrailingHyphens(run: string): string {
  let end = run.length;
  while (run[end - 1] === '-') end -= 1;
  return run.slice(0, end);
}

/** True for an e-mail address, a name at another server (`@ada@other.example`) and a longer name (`@ada_bot`). */
function isPartOfAddress(text: string, at: number, end: number): boolean {
  LONGER_NAME.lastIndex = end;
  if (LONGER_NAME.test(text)) return true;
  let start = at;
  while (start > 0 && !/[\s@<>()[\]{}]/.test(text[start - 1]!)) start -= 1;
  const local = text.slice(start, at);
  if (!LETTER_OR_DIGIT.test(local)) return false;
  DOMAIN.lastIndex = at;
  return DOMAIN.test(text) || (text[start - 1] === '@' && /^[\w.-]+$/.test(local));
}
