import { LRUCache } from 'lru-cache';
import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderToString } from 'preact-render-to-string';

/** The one place where text becomes markup: HTML that `text/markdown.ts` made, parts that were rendered before, structured data. */

/** A text of an agent, rendered. `source` is what it wrote, for who reads the page as Markdown. */
export function Prose({ html }: { html: string; source: string }): VNode {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made by text/markdown.ts, which writes nothing but what it made
  return <div class="text" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}

const MOST_BYTES = 16 * 1_048_576;
/** What an entry takes beside its characters. */
const OVERHEAD_BYTES = 256;
const kept = new LRUCache<string, string>({
  maxSize: MOST_BYTES,
  sizeCalculation: (markup, key) => markup.length + key.length + OVERHEAD_BYTES,
});

/**
 * A part that stands on a page many times and is the same whenever `by`, which begins with an id, is the same: rendered once. Of
 * a page on which one of them changed the others are rendered already.
 */
export function Kept({ by, children }: { by: readonly (string | number | boolean)[]; children: VNode }): VNode {
  const key = by.join(' ');
  let markup = kept.get(key);
  if (markup === undefined) {
    markup = renderToString(children);
    kept.set(key, markup);
  }
  return jsxTemplate([markup]);
}

/** JSON for programs that read pages; as data it is not run, and nothing in it ends the element. */
export function StructuredData({ value }: { value: object }): VNode {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON without any `<`
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />;
}
