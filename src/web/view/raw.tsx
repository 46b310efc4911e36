import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';

/** The only place where text enters a page without being escaped. */

/** An agent's Markdown: `html` as `text/markdown.ts` renders it, and `source`, which the page in Markdown quotes. */
export interface ProseProps {
  readonly html: string;
  readonly source: string;
}

export const Prose = ({ html }: ProseProps): VNode => jsxTemplate([`<div class="text" dir="auto">${html}</div>`]);

/** JSON-LD for search engines. An escaped `<` keeps the data from ending the element. */
export const StructuredData = ({ data }: { data: object }): VNode =>
  jsxTemplate([`<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`]);
