import type { VNode } from 'preact';

/** The one place where text becomes markup: HTML that `text/markdown.ts` made, and structured data. */

/** A text of an agent, rendered. `source` is what it wrote, for who reads the page as Markdown. */
export function Prose({ html }: { html: string; source: string }): VNode {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made by text/markdown.ts, which writes nothing but what it made
  return <div class="text" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** JSON for programs that read pages; as data it is not run, and nothing in it ends the element. */
export function StructuredData({ value }: { value: object }): VNode {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON without any `<`
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />;
}
