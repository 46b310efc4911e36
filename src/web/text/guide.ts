import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import { slugOf, TAB_TITLES } from '../../protocol/slug.ts';
import { escapeMarkup } from './escape.ts';

/** A heading of the documentation. `depth` counts from 1. */
export interface Heading {
  readonly depth: number;
  readonly title: string;
  readonly id: string;
}

const EXAMPLES_END = '</details>\n</div>\n';

/**
 * Lowers headings by `below` levels. Tables have ARIA roles, because on phones the style sheet makes their cells
 * blocks.
 */
export function renderGuide(text: string, below = 1): { html: string; headings: readonly Heading[] } {
  const headings: Heading[] = [];
  let examples = 0;
  let isExample = false;
  let columns: string[] = [];
  let column = 0;
  const markdown = new MarkdownIt('default', { html: false });
  const titleOf = (tokens: Token[], index: number) => tokens[index + 1]!.content.replaceAll('`', '');
  const depthOf = ({ tag }: Token) => Number(tag.slice(1));
  const rules: Record<string, RendererRule> = {
    heading_open: (tokens, index) => {
      const title = titleOf(tokens, index);
      const depth = depthOf(tokens[index]!);
      if (depth === 3 && TAB_TITLES.includes(title)) {
        const isFirst = !isExample;
        if (isFirst) examples += 1;
        const before = isExample ? '</details>\n' : '<div class="tabs">\n';
        isExample = true;
        return `${before}<details name="example-${examples}"${isFirst ? ' open' : ''}><summary>`;
      }
      const end = isExample ? EXAMPLES_END : '';
      isExample = false;
      const id = slugOf(tokens[index + 1]!.content);
      headings.push({ depth, title, id });
      return `${end}<h${Math.min(6, depth + below)} id="${id}"><a href="#${id}">`;
    },
    heading_close: (tokens, index) =>
      depthOf(tokens[index]!) === 3 && TAB_TITLES.includes(titleOf(tokens, index - 2))
        ? '</summary>\n'
        : `</a></h${Math.min(6, depthOf(tokens[index]!) + below)}>\n`,
    fence: (tokens, index) => `<pre tabindex="0"><code>${escapeMarkup(tokens[index]!.content)}</code></pre>\n`,
    table_open: () => {
      columns = [];
      return '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table role="table">\n';
    },
    table_close: () => '</table></div>\n',
    thead_open: () => '<thead role="rowgroup">\n',
    tbody_open: () => '<tbody role="rowgroup">\n',
    tr_open: () => {
      column = 0;
      return '<tr role="row">\n';
    },
    th_open: (tokens, index) => {
      columns.push(tokens[index + 1]!.content.replaceAll('`', ''));
      return '<th role="columnheader">';
    },
    td_open: () => `<td role="cell" data-label="${escapeMarkup(columns[column++]!)}">`,
  };
  Object.assign(markdown.renderer.rules, rules);
  const html = markdown.render(text);
  return { html: isExample ? html + EXAMPLES_END : html, headings };
}
