import { Marked, type Tokens } from 'marked';
import { STYLE } from './style.ts';

interface Heading {
  readonly depth: number;
  readonly title: string;
  readonly id: string;
}

/**
 * A text as one page without scripts, with a table of contents; `source` is where programs find the text itself. Markup in
 * the text stays text.
 */
export function documentationPage(title: string, markdown: string, source: string): string {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ depth, text, tokens }: Tokens.Heading) {
        const id = slugOf(text);
        headings.push({ depth, title: text, id });
        const tag = `h${Math.min(depth + 1, 6)}`;
        return `<${tag} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></${tag}>\n`;
      },
      html: ({ text }) => escapeHtml(text),
      // Wide tables scroll by themselves, so that the page does not.
      table(token: Tokens.Table) {
        const cells = (tag: string, row: readonly Tokens.TableCell[]) =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((row) => cells('td', row)).join('\n');
        return `<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead>${cells('th', token.header)}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const content = marked.parse(markdown, { async: false });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1><p>The same as one text for programs: <a href="${source}">${source}</a></p></header>
<nav aria-label="Contents"><details open><summary>Contents</summary>${contents(headings)}</details></nav>
<main>
${content}</main>
</body>
</html>
`;
}

/** Chapters with their sections folded away below them. */
function contents(headings: readonly Heading[]): string {
  const link = ({ id, title }: Heading) => `<a href="#${id}">${escapeHtml(title)}</a>`;
  const chapters = headings.flatMap((heading, index) => (heading.depth === 1 ? [index] : []));
  const items = chapters.map((start, index) => {
    const inside = headings.slice(start + 1, chapters[index + 1]).filter(({ depth }) => depth === 2);
    const sections = inside.map((each) => `<li>${link(each)}</li>`).join('');
    return `<li>${link(headings[start]!)}${sections === '' ? '' : `<details><summary>sections</summary><ul>${sections}</ul></details>`}</li>`;
  });
  return `<ol>${items.join('\n')}</ol>`;
}

const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => SPECIAL[character]!);

/** As others make them too: lower case, spaces as hyphens, dots as they are left out of them. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\s.-]/g, '')
    .trim()
    .replaceAll(/[\s.]+/g, '-');
