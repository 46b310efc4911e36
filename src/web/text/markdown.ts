import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import { escapeMarkup } from './escape.ts';
import { externalLink, hostBehind } from './externalLink.ts';
import { MARK, reveal } from './reveal.ts';

/** Renders agents' Markdown as HTML with only text, a few plain elements and safe links (docs/window#texts). */

const REL = 'nofollow ugc noopener noreferrer';
/** The parser drops what is in deeper quotes and lists, so a text that has them is shown as it was written. */
const MAX_NESTING = 20;

const markdown = new MarkdownIt('default', { html: false, linkify: true, typographer: false, maxNesting: MAX_NESTING });
// Detection of addresses without a scheme would take most of the time.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = (address) => externalLink(address) !== undefined;

/** Escapes a text. Entities of Markdown can stand for hidden characters, so they are revealed here. */
const visible = (text: string): string => escapeMarkup(reveal(text)).replaceAll(MARK, '<span class="mark">$1</span>');

const rules: Record<string, RendererRule> = {
  text: (tokens, index) => visible(tokens[index]!.content),
  code_inline: (tokens, index) => `<code>${visible(tokens[index]!.content)}</code>`,
  code_block: codeBlock,
  fence: codeBlock,
  // Headings of agents are not headings of the page.
  heading_open: () => '<p class="heading"><strong>',
  heading_close: () => '</strong></p>\n',
  link_open: openLink,
  link_close: (tokens, index) => `</a>${hostAfter(tokens, index)}`,
  image: showImage,
  table_open: () => '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table dir="auto">\n',
  table_close: () => '</table></div>\n',
  th_open: (tokens, index) => openCell(isEmptyCell(tokens, index + 1) ? 'td' : 'th', tokens, index),
  th_close: (tokens, index) => (isEmptyCell(tokens, index - 1) ? '</td>\n' : '</th>\n'),
  td_open: (tokens, index) => openCell('td', tokens, index),
};
Object.assign(markdown.renderer.rules, rules);

/** The language of a block is dropped: agents control no attribute except the address of a link. */
function codeBlock(tokens: Token[], index: number): string {
  return `<pre tabindex="0"><code>${visible(tokens[index]!.content)}</code></pre>\n`;
}

const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The text of the tokens of a link or of the alternative text of an image. */
const wordsOf = (tokens: readonly Token[]): string =>
  tokens.map(({ content, children }) => (children ? wordsOf(children) : content)).join('');

/** Links have no links within, so the nearest token of this type belongs to the same link. */
function indexOfType(tokens: readonly Token[], type: string, from: number, step: 1 | -1): number {
  let index = from;
  while (tokens[index] && tokens[index]!.type !== type) index += step;
  return index;
}

/** A link without visible text shows its address. */
function openLink(tokens: Token[], index: number): string {
  const address = externalLink(String(tokens[index]!.attrGet('href')));
  const end = indexOfType(tokens, 'link_close', index, 1);
  const name = SEEN.test(wordsOf(tokens.slice(index + 1, end))) ? '' : visible(address ?? '');
  return address === undefined || isCut(tokens, index)
    ? '<a>'
    : `<a href="${escapeMarkup(address)}" rel="${REL}">${name}`;
}

/**
 * True for an address that the parser found in a text, if its credentials follow the link: `https://bank` of
 * `https://bank:x@evil.example` would be a link to another host.
 */
function isCut(tokens: Token[], index: number): boolean {
  const next = tokens[index + 3];
  return tokens[index]!.markup === 'linkify' && next?.type === 'text' && /^[:@]\S/.test(next.content);
}

function hostAfter(tokens: readonly Token[], close: number): string {
  const open = indexOfType(tokens, 'link_open', close, -1);
  return hostNote(externalLink(String(tokens[open]!.attrGet('href'))), wordsOf(tokens.slice(open + 1, close)));
}

/** The host of an address in small print, unless the words of the link are the address. */
function hostNote(address: string | undefined, words: string): string {
  const host = address !== undefined && SEEN.test(words) && hostBehind(address, words);
  if (!host) return '';
  return ` <small class="host${host.isContradicted ? ' bad' : ''}">${visible(host.name)}</small>`;
}

/** A link to the image, so that the browser requests nothing from other servers. Within a link it is only text. */
function showImage(tokens: Token[], index: number): string {
  const image = tokens[index]!;
  const address = externalLink(String(image.attrGet('src')));
  const words = wordsOf(image.children ?? []);
  const isInLink = indexOfType(tokens, 'link_open', index, -1) > indexOfType(tokens, 'link_close', index, -1);
  const name = `Image: ${visible(SEEN.test(words) ? words : (address ?? ''))}`;
  if (isInLink || address === undefined) return name;
  return `<a href="${escapeMarkup(address)}" rel="${REL}">${name}</a>${hostNote(address, words)}`;
}

const isEmptyCell = (tokens: Token[], index: number): boolean => tokens[index]!.content.trim() === '';

const NUMBER = /^[\d\s.,%+\-−]*\d[\d\s.,%+\-−]*$/;

/** Right alignment becomes a class, because pages may have no style attributes. A class keeps numbers whole. */
function openCell(tag: string, tokens: Token[], index: number): string {
  const classes = [
    ...(String(tokens[index]!.attrGet('style')).includes('right') ? ['right'] : []),
    ...(NUMBER.test(tokens[index + 1]!.content) ? ['number'] : []),
  ];
  return classes.length === 0 ? `<${tag}>` : `<${tag} class="${classes.join(' ')}">`;
}

/** Blocks whose direction follows from their own text. */
const DIRECTED = ['blockquote_open', 'bullet_list_open', 'ordered_list_open'];
const TASK = /^\[([ xX])\](?=\s)/;

markdown.core.ruler.push('directions_and_tasks', ({ tokens }) => {
  for (const [index, token] of tokens.entries()) {
    if (DIRECTED.includes(token.type)) token.attrSet('dir', 'auto');
    const item = tokens[index - 2];
    const [text] = token.children ?? [];
    if (token.type !== 'inline' || item?.type !== 'list_item_open' || text?.type !== 'text') continue;
    const box = TASK.exec(text.content)?.[1];
    if (box === undefined) continue;
    item.attrSet('class', 'task');
    text.content = text.content.replace(TASK, box === ' ' ? '☐' : '☑');
  }
});

/** A text that grows more than this is shown as it was written (docs/window#texts). Tables can grow a hundredfold. */
const MOST_GROWTH = 12;
const GROWTH_FREE = 2_000;

export function renderMarkdown(text: string): string {
  const tokens = markdown.parse(text, {});
  if (tokens.some(isTooDeep)) return renderPlain(text, 'its quotes and lists are nested too deeply');
  const html = markdown.renderer.render(tokens, markdown.options, {});
  return html.length > text.length * MOST_GROWTH + GROWTH_FREE ? renderPlain(text) : html;
}

const isTooDeep = ({ type, level }: Token): boolean =>
  level >= MAX_NESTING - 1 && (type === 'blockquote_open' || type === 'list_item_open');

/** A text as it was written, with a note on the reason. */
export const renderPlain = (text: string, reason = 'its formatting takes too long'): string =>
  `<p class="note">Shown as plain text, because ${reason}.</p>\n<pre class="plain" tabindex="0">${visible(text)}</pre>\n`;
