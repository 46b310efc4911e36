const ESCAPE = String.raw`\\(?:[dDwWsS]|[tnvfr]|0(?![0-9])|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[!-\/:-@\[-${'`'}{-~])`;
const MEMBER = String.raw`(?:${ESCAPE}|[^\[\]\\\ud800-\udfff])`;
const ATOM = String.raw`(?:${ESCAPE}|\[(?:\^${MEMBER}|(?!\^)${MEMBER})${MEMBER}*\]|[^\^$\\.*+?()\[\]{}|\ud800-\udfff]|\.)`;
const TOKEN = new RegExp(
  String.raw`(?<astral>[\ud800-\udbff][\udc00-\udfff])|(?<atom>${ATOM})(?<count>[*+?]\??|\{[0-9]+(?:,[0-9]*)?\}\??)?` +
    String.raw`|(?<assertion>[\^$]|\\[bB])|(?<open>\((?:\?:)?)|(?<close>\)(?![*+?{]))|(?<bar>\|)`,
  'y',
);

type Item = 'plain' | 'counted';

/**
 * Whether a pattern is in the admitted sub-grammar, found in another way than the parser's. A regular expression finds
 * the tokens, and the runtime in its strict mode checks ranges and counts. Adjacent atoms come from every path through
 * the branches. For short patterns only.
 */
export function isAdmitted(pattern: string): boolean {
  const tokens = tokensOf(pattern);
  if (tokens === null || [...pattern].length > 256) return false;
  const counts = tokens.flatMap(({ count }) => (count?.startsWith('{') ? (count.match(/[0-9]+/g) ?? []) : []));
  if (counts.some((count) => Number(count) > 65_535)) return false;
  const ways = waysThrough(tokens);
  if (ways === null || ways.some((way) => way.some((item, i) => item === 'counted' && way[i + 1] === 'counted'))) {
    return false;
  }
  return isStrict(pattern);
}

type Token = Partial<Record<'astral' | 'atom' | 'count' | 'assertion' | 'open' | 'close' | 'bar', string>>;

function tokensOf(pattern: string): Token[] | null {
  const tokens: Token[] = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < pattern.length; ) {
    const match = TOKEN.exec(pattern);
    if (match === null) return null;
    tokens.push(match.groups as Token);
  }
  return tokens;
}

/**
 * Every sequence of atoms that the branches admit, assertions left out; null for groups that do not nest, or too deep.
 */
function waysThrough(tokens: readonly Token[]): Item[][] | null {
  let at = 0;
  let isBroken = false;
  const alternatives = (nesting: number): Item[][] => {
    const done: Item[][] = [];
    let ways: Item[][] = [[]];
    isBroken ||= nesting > 16;
    for (; at < tokens.length && tokens[at]?.close === undefined; at += 1) {
      const token = tokens[at]!;
      if (token.bar !== undefined) {
        done.push(...ways);
        ways = [[]];
      } else if (token.open !== undefined) {
        at += 1;
        const inner = alternatives(nesting + 1);
        isBroken ||= tokens[at]?.close === undefined;
        ways = ways.flatMap((way) => inner.map((more) => [...way, ...more]));
      } else if (token.assertion === undefined) {
        const item: Item = token.count === undefined ? 'plain' : 'counted';
        ways = ways.map((way) => [...way, item]);
      }
    }
    return [...done, ...ways];
  };
  const ways = alternatives(0);
  return isBroken || at < tokens.length ? null : ways;
}

/**
 * Unicode mode has no Annex B, but other views on surrogates, which are moved up to private use, and on escaped
 * punctuation, which is spelled out.
 */
function isStrict(pattern: string): boolean {
  const moved = pattern.replace(/\\(?:u[dD]([89a-fA-F])|([!-/:-@[-`{-~]))/g, (_, surrogate, punctuation) =>
    surrogate === undefined
      ? `\\x${punctuation.charCodeAt(0).toString(16)}`
      : `\\ue${(Number.parseInt(surrogate, 16) - 8).toString(16)}`,
  );
  try {
    return new RegExp(moved, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
