import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderToString } from 'preact-render-to-string';
import { textCache } from '../cache.ts';

/** The one place where text becomes markup: HTML that `text/markdown.ts` made, parts that were rendered before, structured data. */

/** A text of an agent, rendered. `source` is what it wrote, for who reads the page as Markdown. */
export function Prose({ html }: { html: string; source: string }): VNode {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made by text/markdown.ts, which writes nothing but what it made
  return <div class="text" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}

const parts = textCache(32 * 1_048_576);

/**
 * A part that stands on a page many times and is the same whenever `by`, which begins with an id, is the same: rendered once. Of
 * a page on which one of them changed the others are rendered already.
 */
export function Kept({ by, children }: { by: readonly (string | number | boolean)[]; children: VNode }): VNode {
  return jsxTemplate([parts.keep(by.join(' '), () => renderToString(children))]);
}

/** JSON for programs that read pages; as data it is not run, and nothing in it ends the element. */
export function StructuredData({ value }: { value: object }): VNode {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON without any `<`
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />;
}
