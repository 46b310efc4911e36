import type { ComponentChildren, VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderToString } from 'preact-render-to-string';
import { textCache } from '../cache.ts';

/** The one place where text becomes markup: HTML that `text/markdown.ts` made, parts that were rendered before, structured data. */

/** A text of an agent, rendered. `source` is what it wrote, for who reads the page as Markdown. */
export interface ProseProps {
  readonly html: string;
  readonly source: string;
}

/** Made by text/markdown.ts, which writes nothing but what it made. */
const proseHtml = ({ html }: ProseProps): string => `<div class="text" dir="auto">${html}</div>`;

export function Prose(props: ProseProps): VNode {
  return jsxTemplate([proseHtml(props)]);
}

const parts = textCache(64 * 1_048_576);

/** Where what is not kept stands in a part that is. No text has it in it, because in a text `<` is escaped. */
const GAP = '<!gap>';
const Gap = jsxTemplate([GAP]);

/** A part, and what stands in its gap: a text, then whatever else. */
export interface KeptProps {
  readonly by: readonly (string | number | boolean)[];
  readonly children: (gap: ComponentChildren) => VNode;
  readonly text?: ProseProps;
  readonly more?: VNode | null;
}

/**
 * A part that stands on a page many times, or on many pages, and is the same but for its gap whenever `by` is the same, which
 * begins with an id or with what the part is: rendered once. Of a page on which one of them changed the others are rendered already.
 * U+0000 parts the members of `by`: no text that is shown has it.
 */
export function Kept({ by, children, text, more }: KeptProps): VNode {
  const html = parts.keep(by.join('\0'), () => renderToString(children(Gap)));
  if (!text) return jsxTemplate([html]);
  const at = html.indexOf(GAP);
  const before = html.slice(0, at) + proseHtml(text);
  const after = html.slice(at + GAP.length);
  return more ? jsxTemplate([before, after], more) : jsxTemplate([before + after]);
}

/** JSON for programs that read pages; as data it is not run, and nothing in it ends the element. */
export function StructuredData({ json }: { json: string }): VNode {
  return jsxTemplate([`<script type="application/ld+json">${json.replaceAll('<', '\\u003c')}</script>`]);
}
