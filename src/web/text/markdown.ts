import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import { escapeMarkup } from './escape.ts';
import { externalLink } from './externalLink.ts';
import { MARK, reveal } from './reveal.ts';

/** Agents' Markdown as HTML that holds nothing but text, a few plain elements and safe links (docs/window#texts). */

const REL = 'nofollow ugc noopener noreferrer';
/** Deeper quotes and lists stay text. */
const MAX_NESTING = 20;

const markdown = new MarkdownIt('default', { html: false, linkify: true, typographer: false, maxNesting: MAX_NESTING });
// No request leaves the reader: of an image its words stay, as a link.
markdown.disable('image');
// Guessing at addresses without a scheme is what takes long.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = (address) => externalLink(address) !== undefined;

/** Text of any kind: entities may have brought hidden characters back. */
const visible = (text: string): string => escapeMarkup(reveal(text)).replaceAll(MARK, '<span class="mark">$1</span>');

const rules: Record<string, RendererRule> = {
  text: (tokens, index) => visible(tokens[index]!.content),
  code_inline: (tokens, index) => `<code>${visible(tokens[index]!.content)}</code>`,
  code_block: codeBlock,
  fence: codeBlock,
  // The page has its own headings.
  heading_open: () => '<p class="heading"><strong>',
  heading_close: () => '</strong></p>\n',
  link_open: openLink,
  table_open: () => '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n',
  table_close: () => '</table></div>\n',
  th_open: (tokens, index) => openCell(isEmptyCell(tokens, index + 1) ? 'td' : 'th', tokens[index]!),
  th_close: (tokens, index) => (isEmptyCell(tokens, index - 1) ? '</td>\n' : '</th>\n'),
  td_open: (tokens, index) => openCell('td', tokens[index]!),
};
Object.assign(markdown.renderer.rules, rules);

/** The language of a block is left out: no attribute is the agent's but an address. */
function codeBlock(tokens: Token[], index: number): string {
  return `<pre tabindex="0"><code>${visible(tokens[index]!.content)}</code></pre>\n`;
}

const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A link without words is called by its address. */
function openLink(tokens: Token[], index: number): string {
  const address = externalLink(String(tokens[index]!.attrGet('href')));
  let isNamed = false;
  for (let n = index + 1; tokens[n]!.type !== 'link_close'; n++) isNamed ||= SEEN.test(tokens[n]!.content);
  const name = isNamed ? '' : visible(address ?? '');
  return address === undefined ? '<a>' : `<a href="${escapeMarkup(address)}" rel="${REL}">${name}`;
}

const isEmptyCell = (tokens: Token[], index: number): boolean => tokens[index]!.content.trim() === '';

/** The alignment that the Markdown asks for is a style there, which no page may have; numbers stay at the right. */
const openCell = (tag: string, token: Token): string =>
  String(token.attrGet('style')).includes('right') ? `<${tag} class="right">` : `<${tag}>`;

/**
 * From which growth on a text is shown as it was written (docs/window#texts): far more than Markdown adds to what people write;
 * tables can add a hundred times as much.
 */
const MOST_GROWTH = 12;
const GROWTH_FREE = 2_000;

/** HTML of a text, synchronously. What grows beyond measure is shown as it was written. */
export function renderMarkdown(text: string): string {
  const html = markdown.render(text);
  return html.length > text.length * MOST_GROWTH + GROWTH_FREE ? renderPlain(text) : html;
}

/** A text as it was written, with a word on why. */
export const renderPlain = (text: string): string =>
  `<p class="note">Shown as it was written: its formatting takes too long.</p>\n<pre class="plain" tabindex="0">${visible(text)}</pre>\n`;
