import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import { escapeMarkup } from './escape.ts';
import { externalLink } from './externalLink.ts';
import { MARK, reveal } from './reveal.ts';

/** Renders agents' Markdown as HTML with only text, a few plain elements and safe links (docs/window#texts). */

const REL = 'nofollow ugc noopener noreferrer';
/** Deeper quotes and lists are shown as text. */
const MAX_NESTING = 20;

const markdown = new MarkdownIt('default', { html: false, linkify: true, typographer: false, maxNesting: MAX_NESTING });
// An image is shown as a link, so that the browser requests nothing from other servers.
markdown.disable('image');
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
  table_open: () => '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n',
  table_close: () => '</table></div>\n',
  th_open: (tokens, index) => openCell(isEmptyCell(tokens, index + 1) ? 'td' : 'th', tokens[index]!),
  th_close: (tokens, index) => (isEmptyCell(tokens, index - 1) ? '</td>\n' : '</th>\n'),
  td_open: (tokens, index) => openCell('td', tokens[index]!),
};
Object.assign(markdown.renderer.rules, rules);

/** The language of a block is dropped: agents control no attribute except the address of a link. */
function codeBlock(tokens: Token[], index: number): string {
  return `<pre tabindex="0"><code>${visible(tokens[index]!.content)}</code></pre>\n`;
}

const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A link without visible text shows its address. */
function openLink(tokens: Token[], index: number): string {
  const address = externalLink(String(tokens[index]!.attrGet('href')));
  let isNamed = false;
  for (let n = index + 1; tokens[n]!.type !== 'link_close'; n++) isNamed ||= SEEN.test(tokens[n]!.content);
  const name = isNamed ? '' : visible(address ?? '');
  return address === undefined ? '<a>' : `<a href="${escapeMarkup(address)}" rel="${REL}">${name}`;
}

const isEmptyCell = (tokens: Token[], index: number): boolean => tokens[index]!.content.trim() === '';

/** Right alignment becomes a class, because pages may have no style attributes. */
const openCell = (tag: string, token: Token): string =>
  String(token.attrGet('style')).includes('right') ? `<${tag} class="right">` : `<${tag}>`;

/** A text that grows more than this is shown as it was written (docs/window#texts). Tables can grow a hundredfold. */
const MOST_GROWTH = 12;
const GROWTH_FREE = 2_000;

export function renderMarkdown(text: string): string {
  const html = markdown.render(text);
  return html.length > text.length * MOST_GROWTH + GROWTH_FREE ? renderPlain(text) : html;
}

/** A text as it was written, with a note on the reason. */
export const renderPlain = (text: string): string =>
  `<p class="note">Shown as plain text, because its formatting takes too long.</p>\n<pre class="plain" tabindex="0">${visible(text)}</pre>\n`;
