/**
 * What of a Markdown paragraph is text that readers see: without code spans, link targets, URLs, HTML tags and comments. Each is
 * replaced by the character that ends it. One pass from the left, as CommonMark reads inlines. Pure and linear in the text.
 */

/** A sticky pattern at a place; where the match ends, or undefined. */
const endOf = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
};

/** The end of a URL is the next white space or character that no URL has. */
const TOKEN = /\\[\s\S]|`+|<|\[|\](?=\()|\]|(?<=[A-Za-z0-9+.-]):\/\/[^\s<>"`]*|(?<![\p{L}\p{N}_])www\.[^\s<>"`]*/gu;

const TAGS: readonly RegExp[] = [
  /<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>/y,
  /<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>/y,
  /<\/[A-Za-z][A-Za-z0-9-]*\s*>/y,
];
/** What begins so ends at the next one of its end marks, whatever stands between. */
const SPANS_OF_HTML: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<!', '>'],
  ['<?', '?>'],
];

const SPACES = /\s*/y;
const BRACKETED_TARGET = /<(?:\\.|[^<>\\\n])*>/y;
const TARGET_TITLE = /\s+(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\((?:\\[\s\S]|[^()\\])*\))/y;
/** So deep may parentheses be nested in the target of a link. */
const DEEPEST_PARENTHESES = 32;

export function visibleText(text: string): string {
  const closingRuns = startsOfRuns(text);
  let visible = '';
  let from = 0;
  let openBrackets = 0;
  /** End marks that do not come any more. */
  const absent = new Set<string>();
  const leaveOut = (start: number, end: number, replacement: string) => {
    visible += text.slice(from, start) + replacement;
    from = end;
    TOKEN.lastIndex = end;
  };
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token; token = TOKEN.exec(text)) {
    const { 0: found, index } = token;
    const [first] = found;
    if (first === '`') {
      const closing = nextRun(closingRuns.get(found.length), index + found.length);
      if (closing !== undefined) leaveOut(index, closing + found.length, '`');
    } else if (first === '<') {
      const end = endOfHtml(text, index, absent);
      if (end !== undefined) leaveOut(index, end, '>');
    } else if (first === '[') {
      openBrackets += 1;
    } else if (first === ']') {
      const end = openBrackets > 0 && text[index + 1] === '(' ? endOfTarget(text, index + 1) : undefined;
      openBrackets = Math.max(0, openBrackets - 1);
      if (end !== undefined) leaveOut(index, end, ')');
    } else if (first !== '\\') {
      leaveOut(index, index + found.length, '/');
    }
  }
  return visible + text.slice(from);
}

/** Where runs of backticks start, by their length, the last one first. */
function startsOfRuns(text: string): Map<number, number[]> {
  const runs = new Map<number, number[]>();
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const starts = runs.get(run.length);
    if (starts) starts.push(index);
    else runs.set(run.length, [index]);
  }
  return runs;
}

/** The first of these runs from there on; those before it are not asked for again. */
function nextRun(starts: number[] | undefined, from: number): number | undefined {
  while (starts && starts.length > 0 && starts.at(-1)! < from) starts.pop();
  return starts?.at(-1);
}

/** Where a tag, an autolink or a comment ends that begins there. */
function endOfHtml(text: string, at: number, absent: Set<string>): number | undefined {
  for (const tag of TAGS) {
    const end = endOf(tag, text, at);
    if (end !== undefined) return end;
  }
  const span = SPANS_OF_HTML.find(([start]) => text.startsWith(start, at));
  if (!span || absent.has(span[1])) return undefined;
  const [start, mark] = span;
  // `<!-->` is a whole comment.
  const found = text.indexOf(mark, at + Math.min(2, start.length));
  if (found !== -1) return found + mark.length;
  absent.add(mark);
  return undefined;
}

/** Where the target of an inline link ends that begins with this parenthesis; undefined where it is no target. */
function endOfTarget(text: string, open: number): number | undefined {
  const start = endOf(SPACES, text, open + 1)!;
  const destination = text[start] === '<' ? endOf(BRACKETED_TARGET, text, start) : endOfDestination(text, start);
  if (destination === undefined) return undefined;
  const title = endOf(TARGET_TITLE, text, destination) ?? destination;
  const close = endOf(SPACES, text, title)!;
  return text[close] === ')' ? close + 1 : undefined;
}

/** The next white space or parenthesis that closes more than were opened. */
function endOfDestination(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '\\') at += 1;
    else if (sign === '(' && ++depth > DEEPEST_PARENTHESES) return undefined;
    else if (sign === ')' && depth-- === 0) return at;
    else if (sign <= ' ') return depth === 0 ? at : undefined;
  }
  return undefined;
}

const DEFINITION =
  /\[(?:[^[\]\\]|\\.){1,999}\]:[ \t]*\n?[ \t]*(?:<[^<>\n]*>|[^\s<]\S*)(?:(?:[ \t]+|[ \t]*\n[ \t]*)(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*(?:\n|$)/y;

/** A paragraph without the link reference definitions that it begins with. */
export function withoutDefinitions(paragraph: string): string {
  let from = 0;
  for (let end = endOf(DEFINITION, paragraph, 0); end !== undefined && end > from; ) {
    from = end;
    end = endOf(DEFINITION, paragraph, from);
  }
  return paragraph.slice(from);
}
