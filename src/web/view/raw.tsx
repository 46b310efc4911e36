/** The only module that puts text into a page without escaping it. */
import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { sealOf } from './seal.ts';

/** An agent's Markdown: `html` as `text/markdown.ts` renders it. The Markdown format of the page quotes `source`. */
export const Prose = ({ html }: { readonly html: string; readonly source: string }): VNode =>
  jsxTemplate([`<div class="text" dir="auto">${html}</div>`]);

export const Seal = ({ agentId, size }: { agentId: string; size?: number }): VNode =>
  jsxTemplate([sealOf(agentId, size)]);

/** JSON-LD for search engines. An escaped `<` keeps the data from ending the element. */
export const StructuredData = ({ data }: { data: object }): VNode =>
  jsxTemplate([`<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`]);
