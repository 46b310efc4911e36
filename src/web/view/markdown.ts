import type { ComponentChild, ComponentChildren, VNode } from 'preact';
import { UNTRUSTED_NOTICE } from '../../protocol/service.ts';
import { inFormat, type View } from '../page.ts';
import { Cached, Prose } from './raw.tsx';

/** Renders the tree of the HTML page. Agents' Markdown is quoted, so that it does not pass for a part of the page. */
export function markdownOf({ title, main, json }: View, { own, origin }: { own: string; origin: string }): string {
  const text = headingFirst(withoutGaps(block(main)), `# ${escapeText(oneLine(title))}`);
  // An error page has no address, and no text of agents.
  if (own === '') return `${text}\n`;
  return `${NOTICE} This page: ${origin}${own} (JSON: ${json}).\n\n${text}\n`;
}

/** The first line of every page. Agents' text comes later and cannot look like this line outside quotes. */
const NOTICE = `${UNTRUSTED_NOTICE} Quotes on this page are such text, and so are its titles and names.`;

/** Moves the heading of the page to the top, or adds its title as the heading. */
function headingFirst(body: string, title: string): string {
  const own = /^# .*$/m.exec(body);
  if (!own) return `${title}\n\n${body}`;
  const [above, below] = [body.slice(0, own.index).trim(), body.slice(own.index + own[0].length).trim()];
  return [own[0], above, below].filter(Boolean).join('\n\n');
}

/** Reduces gaps between blocks to one empty line, except within fences. */
function withoutGaps(body: string): string {
  const kept: string[] = [];
  let fence = '';
  for (const line of body.trim().split('\n')) {
    if (fence !== '') fence = line.trim() === fence ? '' : fence;
    else if (line === '' && kept.at(-1) === '') continue;
    else fence = /^(?: |- )*(`{3,})$/.exec(line)?.[1] ?? '';
    kept.push(line);
  }
  return kept.join('\n');
}

/** Characters with a meaning in Markdown anywhere, then those with a meaning at the beginning of a line. */
const SIGNS =
  /[`*[\]|~]|\\(?=[!-/:-@[-`{-~]|$)|<(?=[A-Za-z/!?]|$)|&(?=#?\w{1,32};)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<=^ ?)(?:>|#(?=#{0,5}(?:\s|$))|[-+](?=[-\s]|$)|=(?==*\s*$))/gu;
/** The number of a list item at the beginning of a line. */
const ORDINAL = /^( ?\d{1,9})([.)])(?=\s|$)/;

export const escapeText = (text: string): string => text.replaceAll(SIGNS, '\\$&').replace(ORDINAL, '$1\\$2');

type Wrap = (inner: string) => string;

const BLOCKS: Readonly<Record<string, Wrap>> = {
  h1: (inner) => `\n\n# ${oneLine(inner)}\n\n`,
  h2: (inner) => `\n\n## ${oneLine(inner)}\n\n`,
  h3: (inner) => `\n\n### ${oneLine(inner)}\n\n`,
  p: (inner) => `\n\n${inner.trim()}\n\n`,
  blockquote: quote,
  pre: (inner) => {
    const fence = fenceOf(inner, 3);
    return `\n\n${fence}\n${withLineFeeds(inner)}\n${fence}\n\n`;
  },
  dt: (inner) => `\n- ${oneLine(inner)}: `,
  dd: oneLine,
  tr: (inner) => `\n|${inner}`,
  th: cell,
  td: cell,
  q: (inner) => `“${inner}”`,
  b: (inner) => `**${inner}**`,
  ins: (inner) => `{+${inner}+}`,
  del: (inner) => `[-${inner}-]`,
  summary: (inner) => `\n\n${inner.trim()}\n\n`,
  nav: (inner) => `\n\n${inner.trim().replaceAll(ADDRESS, (href) => inFormat(href, 'markdown'))}\n\n`,
};
/** The address of a link. `addressIn` has escaped brackets in it. */
const ADDRESS = /(?<=\]\()[^)]+/g;
/** Elements that are useless outside a browser. */
const LEFT_OUT = ['svg', 'form', 'button', 'nav', 'script', 'textarea'];

const CONTAINERS = ['div', 'section', 'article', 'header', 'ul', 'ol', 'dl', 'table'];

const BAR = /(?<!\\)\|/g;

/** Text is escaped, but not in `code` and `pre`. Only `pre` keeps its white space. */
type Within = 'text' | 'code' | 'pre';

function block(node: ComponentChildren, within: Within = 'text'): string {
  if (node === null || node === undefined || typeof node === 'boolean') return '';
  if (Array.isArray(node)) return (node as ComponentChild[]).map((each) => block(each, within)).join('');
  if (typeof node !== 'object') return textOf(String(node), within);
  const { type, props } = node as VNode<Record<string, unknown>>;
  if (typeof type === 'function') {
    if ((type as unknown) === Prose) return quote(String(props.source));
    if ((type as unknown) === Cached) return block((props.content as () => VNode)(), within);
    // All components are pure functions. `Fragment` returns its children.
    return block((type as unknown as (props: object) => ComponentChildren)(props), within);
  }
  // The pager stays, so that a part of a list does not pass for the whole.
  if (LEFT_OUT.includes(type) && props.class !== 'pager') return '';
  // Nothing is folded in Markdown.
  if (props.class === 'guide') return '';
  const isCode = type === 'code' || type === 'pre';
  const inner = block(props.children as ComponentChildren, isCode && within === 'text' ? type : within);
  if (type === 'code') return within === 'text' ? codeSpan(inner) : inner;
  if (type === 'a') return `[${oneLine(inner)}](${addressIn(String(props.href).replace(/^#(?=r_)/, '/r/'))})`;
  if (type === 'li') return `\n- ${indent(inner.trim())}\n`;
  if (type === 'thead') return `${inner}\n|${'---|'.repeat((inner.match(BAR)?.length ?? 1) - 1)}`;
  return BLOCKS[type]?.(inner) ?? (CONTAINERS.includes(type) ? `\n${inner}\n` : inner);
}

function textOf(text: string, within: Within): string {
  if (within === 'pre') return text;
  const line = text.replaceAll(/\s+/g, ' ');
  return within === 'code' ? line : escapeText(line);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function cell(inner: string): string {
  return ` ${oneLine(inner).replaceAll(BAR, '\\|')} |`;
}

const withLineFeeds = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

function quote(text: string): string {
  return `\n\n${withLineFeeds(text).replaceAll(/^/gm, '> ')}\n\n`;
}

/** A fence that is longer than any run of backticks in the text. */
const fenceOf = (text: string, fewest: number): string =>
  '`'.repeat(Math.max(fewest, 1 + Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))));

function codeSpan(inner: string): string {
  if (inner.trim() === '') return '';
  const fence = fenceOf(inner, 1);
  const space = /^`|`$/.test(inner) ? ' ' : '';
  return `${fence}${space}${inner}${space}${fence}`;
}

/** Escapes all characters that could end the address of a link. */
const addressIn = (href: string): string =>
  href.replaceAll(/[\s()<>\\`|]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

const indent = (text: string): string => text.replaceAll(/\n(?=.)/g, '\n  ');
