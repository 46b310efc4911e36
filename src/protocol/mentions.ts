/**
 * The names behind an `@` in a Markdown text (docs/inbox#mentions): first the paragraphs and headings of the text, then what of
 * them is visible, then the names in that. Pure, and linear in the text, whatever stands in it.
 */
import { visibleText, withoutDefinitions } from './visibleText.ts';

const CANDIDATE = /(?<=^|[\s([{"'>*_~])@([A-Za-z0-9-]+)/g;
/** The rest of a name that goes on with what no handle has, or of an address at another server. */
const LONGER_NAME = /[-.\w]*@[\p{L}\p{N}]|_+[\p{L}\p{N}]/uy;
const DOMAIN = /@[A-Za-z0-9-]+\.[A-Za-z0-9]/y;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const SHORTEST_HANDLE = 3;
const LONGEST_HANDLE = 64;

/** The handles that a Markdown text names, in lower case, each once, in the order of the text. */
export function handlesIn(markdown: string): string[] {
  if (!markdown.includes('@')) return [];
  const handles = new Set<string>();
  for (const prose of new Blocks(markdown).prose) {
    if (!prose.includes('@')) continue;
    const text = visibleText(prose);
    for (const { 1: run, index } of text.matchAll(CANDIDATE)) {
      const handle = withoutTrailingHyphens(run!);
      const isHandle = handle.length >= SHORTEST_HANDLE && handle.length <= LONGEST_HANDLE;
      if (isHandle && !isPartOfAddress(text, index, index + 1 + handle.length)) handles.add(handle.toLowerCase());
    }
  }
  return [...handles];
}

function withoutTrailingHyphens(run: string): string {
  let end = run.length;
  while (run[end - 1] === '-') end -= 1;
  return run.slice(0, end);
}

/** True of an e-mail address, of a name at another server (`@ada@other.example`), and of a longer name (`@ada_bot`). */
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

/** A list item, with the columns that its lines are indented by, or a block quote. */
type Container = { readonly width: number; isEmpty: boolean } | 'quote';

const MARKER = /(?:[-+*]|(\d{1,9})[.)])(?= |$)/y;
const FENCE = /`{3,}(?=[^`]*$)|~{3,}/y;
const CLOSING_FENCE = /(`{3,}|~{3,}) *$/y;
const HEADING = /#{1,6}(?= |$)/y;
const UNDERLINE = /(?:=+|-+) *$/y;
const DEEPEST_INDENT = 3;
const COMMENT = '<!--';
const COMMENT_END = '-->';

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/**
 * The paragraphs and headings of a text, as CommonMark divides it into blocks: line by line, first the containers that go on,
 * then those that begin, then what is left. What a line does not go through costs nothing: each level takes characters of it.
 */
class Blocks {
  readonly prose: string[] = [];
  readonly #containers: Container[] = [];
  /** Where the quotes among them are. */
  readonly #quotes: number[] = [];
  #paragraph: string[] | undefined;
  #fence: string | undefined;
  /** In an HTML comment that goes on over lines, blank ones too. */
  #isComment = false;

  constructor(markdown: string) {
    for (const line of markdown.split(/\r\n?|\n/)) this.#take(line.includes('\t') ? expandTabs(line) : line);
    this.#closeTo(0);
  }

  #take(line: string): void {
    let at = 0;
    let next = firstFrom(line, 0);
    let level = 0;
    let quotes = 0;
    for (; next < line.length && level < this.#containers.length; level++) {
      const container = this.#containers[level]!;
      if (container === 'quote') {
        if (next - at > DEEPEST_INDENT || line[next] !== '>') break;
        [at, next] = behindQuote(line, next);
        quotes++;
      } else {
        if (next - at < container.width) break;
        at += container.width;
      }
    }
    if (next === line.length) {
      this.#takeBlank(quotes);
    } else if (this.#fence !== undefined && level === this.#containers.length) {
      if (next - at <= DEEPEST_INDENT) this.#takeFenced(line, next);
    } else if (this.#isComment && level === this.#containers.length) {
      this.#takeComment(line, at);
    } else {
      if (this.#fence !== undefined || this.#isComment) this.#closeTo(level);
      this.#begin(line, { at, next, level });
    }
  }

  /** Items go on over a blank line, quotes and paragraphs do not. */
  #takeBlank(quotes: number): void {
    const ended = this.#quotes[quotes];
    if (ended !== undefined) this.#closeTo(ended);
    else this.#closeParagraph();
    const last = this.#containers.at(-1);
    if (typeof last === 'object' && last.isEmpty) this.#containers.pop();
  }

  #takeFenced(line: string, next: number): void {
    const closing = matchAt(CLOSING_FENCE, line, next)?.[1];
    if (closing?.startsWith(this.#fence!)) this.#fence = undefined;
  }

  #takeComment(line: string, from: number): void {
    const end = line.indexOf(COMMENT_END, from);
    this.#isComment = end === -1;
    if (end !== -1) this.prose.push(line.slice(end + COMMENT_END.length - 1));
  }

  /** What begins on a line, behind the containers that went on. */
  #begin(line: string, { at, next, level }: { at: number; next: number; level: number }): void {
    const ruleFrom = startOfRule(line);
    for (;;) {
      const isInParagraph = this.#paragraph !== undefined;
      const isAll = level === this.#containers.length;
      if (next - at > DEEPEST_INDENT) {
        if (isInParagraph) break;
        this.#closeTo(level);
        return;
      }
      if (line[next] === '>') {
        this.#open('quote', level);
        [at, next] = behindQuote(line, next);
      } else if (matchAt(HEADING, line, next)) {
        this.#closeTo(level);
        this.prose.push(line.slice(next));
        return;
      } else if (matchAt(FENCE, line, next)) {
        this.#closeTo(level);
        this.#fence = matchAt(FENCE, line, next)![0];
        return;
      } else if (line.startsWith(COMMENT, next)) {
        this.#closeTo(level);
        this.#takeComment(line, next);
        return;
      } else if (isInParagraph && isAll && matchAt(UNDERLINE, line, next)) {
        this.#closeParagraph();
        return;
      } else if (next >= ruleFrom && line.slice(next).replaceAll(' ', '').length >= 3) {
        this.#closeTo(level);
        return;
      } else {
        const marker = matchAt(MARKER, line, next);
        if (!marker) break;
        const behind = next + marker[0].length;
        const content = firstFrom(line, behind);
        const isEmpty = content === line.length;
        // A paragraph is interrupted by a list only where it cannot be a number or a dash of its own.
        if (isInParagraph && isAll && (isEmpty || Number(marker[1] ?? 1) !== 1)) break;
        const start = isEmpty || content - behind > DEEPEST_INDENT + 1 ? behind + 1 : content;
        this.#open({ width: start - at, isEmpty }, level);
        if (isEmpty) return;
        [at, next] = [start, content];
      }
      level = this.#containers.length;
      if (next === line.length) return;
    }
    // A line that is only text goes on with a paragraph even where a container of it was left out.
    if (this.#paragraph === undefined) this.#closeTo(level);
    this.#paragraph ??= [];
    this.#paragraph.push(line.slice(next));
    const last = this.#containers.at(-1);
    if (typeof last === 'object') last.isEmpty = false;
  }

  #open(container: Container, level: number): void {
    this.#closeTo(level);
    if (container === 'quote') this.#quotes.push(this.#containers.length);
    this.#containers.push(container);
  }

  #closeTo(level: number): void {
    this.#closeParagraph();
    this.#fence = undefined;
    this.#isComment = false;
    this.#containers.length = level;
    while ((this.#quotes.at(-1) ?? -1) >= level) this.#quotes.pop();
    const last = this.#containers.at(-1);
    if (typeof last === 'object') last.isEmpty = false;
  }

  #closeParagraph(): void {
    if (this.#paragraph) this.prose.push(withoutDefinitions(this.#paragraph.join('\n')));
    this.#paragraph = undefined;
  }
}

/** Where the content of a quote begins, whose `>` stands there: behind it and one space; and what comes first in it. */
function behindQuote(line: string, quote: number): [at: number, next: number] {
  const at = line[quote + 1] === ' ' ? quote + 2 : quote + 1;
  return [at, firstFrom(line, at)];
}

/** The place of the first character from there on that is no space; the end of the line when there is none. */
function firstFrom(line: string, at: number): number {
  let next = at;
  while (line[next] === ' ') next++;
  return Math.min(next, line.length);
}

/** From where a line holds nothing but spaces and one of the characters that rules are made of. */
function startOfRule(line: string): number {
  const mark = line.trimEnd().at(-1) ?? '';
  if (!'-*_'.includes(mark)) return line.length;
  let start = line.length;
  while (start > 0 && (line[start - 1] === mark || line[start - 1] === ' ')) start--;
  return start;
}

function expandTabs(line: string): string {
  let expanded = '';
  for (const [index, part] of line.split('\t').entries()) {
    if (index > 0) expanded += ' '.repeat(4 - (expanded.length % 4));
    expanded += part;
  }
  return expanded;
}
