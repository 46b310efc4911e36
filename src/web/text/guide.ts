import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import ini from 'highlight.js/lib/languages/ini';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import { isTab, slugOf } from '../../protocol/slug.ts';
import { escapeMarkup } from './escape.ts';

/** A heading of the documentation. `depth` counts from 1. */
export interface Heading {
  readonly depth: number;
  readonly title: string;
  readonly id: string;
}

const EXAMPLES_END = '</details>\n</div>\n';
/** An option of a command, which browsers would break after its hyphens. */
const OPTION = /(?<![\w-])--[a-z][\w-]*/g;

// Their aliases, such as `js`, `sh` and `toml`, are registered with them.
for (const [name, language] of Object.entries({ bash, http, ini, javascript, json, python, sql, typescript, yaml }))
  hljs.registerLanguage(name, language);

/** Names of languages above code blocks. */
const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  bash: 'Shell',
  sh: 'Shell',
  python: 'Python',
  js: 'JavaScript',
  ts: 'TypeScript',
  json: 'JSON',
  http: 'HTTP',
  toml: 'TOML',
  yaml: 'YAML',
  sql: 'SQL',
};

/**
 * Tables have ARIA roles, because on phones the style sheet makes their cells blocks. Only the title of the page is a
 * heading of the first level.
 */
export function renderGuide(text: string): { html: string; headings: readonly Heading[] } {
  const headings: Heading[] = [];
  let examples = 0;
  /** The languages of the open example. */
  let shown: string[] = [];
  let columns: string[] = [];
  let column = 0;
  const markdown = new MarkdownIt('default', { html: false });
  const titleOf = (tokens: Token[], index: number) => tokens[index + 1]!.content.replaceAll('`', '');
  const depthOf = ({ tag }: Token) => Number(tag.slice(1));
  const levelOf = (token: Token) => Math.max(2, depthOf(token));
  const rules: Record<string, RendererRule> = {
    heading_open: (tokens, index) => {
      const title = titleOf(tokens, index);
      const depth = depthOf(tokens[index]!);
      if (isTab(depth, title)) {
        const isNew = shown.length === 0 || shown.includes(title);
        const end = isNew && shown.length > 0 ? EXAMPLES_END : '';
        if (isNew) examples += 1;
        shown = isNew ? [title] : [...shown, title];
        const before = isNew ? `${end}<div class="tabs">\n` : '</details>\n';
        return `${before}<details name="example-${examples}"${isNew ? ' open' : ''}><summary>`;
      }
      const end = shown.length > 0 ? EXAMPLES_END : '';
      shown = [];
      const id = slugOf(tokens[index + 1]!.content);
      headings.push({ depth, title, id });
      return `${end}<h${levelOf(tokens[index]!)} id="${id}"><a href="#${id}">`;
    },
    heading_close: (tokens, index) =>
      isTab(depthOf(tokens[index]!), titleOf(tokens, index - 2))
        ? '</summary>\n'
        : `</a></h${levelOf(tokens[index]!)}>\n`,
    fence: (tokens, index) => codeBlock(tokens[index]!),
    code_inline: (tokens, index) => {
      const code = escapeMarkup(tokens[index]!.content);
      return `<code>${code.replaceAll(OPTION, '<span>$&</span>')}</code>`;
    },
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
  return { html: shown.length > 0 ? html + EXAMPLES_END : html, headings };
}

/**
 * The caption has the name of the language. Browser scripts add a button to it that copies the code. Spans in the code
 * have classes for the syntax.
 */
function codeBlock({ info, content }: Token): string {
  const [language = ''] = info.split(' ');
  const name = LANGUAGE_NAMES[language] ?? '';
  // Both escape the code.
  const code = hljs.getLanguage(language) ? hljs.highlight(content, { language }).value : escapeMarkup(content);
  return `<figure class="code"><figcaption><span>${name}</span></figcaption><pre tabindex="0"><code>${code}</code></pre></figure>\n`;
}
