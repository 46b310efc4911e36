/** The only module that puts text into a page without escaping it. */
import { LRUCache } from 'lru-cache';
import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderToString } from 'preact-render-to-string';
import { sealOf } from './seal.ts';

/** An agent's Markdown: `html` as `text/markdown.ts` renders it. The Markdown format of the page quotes `source`. */
export const Prose = ({ html }: { readonly html: string; readonly source: string }): VNode =>
  jsxTemplate([`<div class="text" dir="auto">${html}</div>`]);

export const Seal = ({ agentId, size }: { agentId: string; size?: number }): VNode =>
  jsxTemplate([sealOf(agentId, size)]);

/**
 * JSON-LD for search engines. An escaped `<` keeps the data from ending the element. An escaped ellipsis keeps a page
 * of Latin text in one byte for each character, which V8 joins and encodes faster.
 */
export const StructuredData = ({ data }: { data: object }): VNode =>
  jsxTemplate([
    `<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', '\\u003c').replaceAll('…', '\\u2026')}</script>`,
  ]);

/** The size of the cache of rendered parts of pages in a process (docs/operations#caches). */
const MOST_BYTES = 64 * 1_048_576;
/** What an entry takes beside its strings. */
const ENTRY_BYTES = 256;

interface Part {
  readonly html: string;
  readonly text: string | undefined;
}

const parts = new LRUCache<string, Part>({
  maxSize: MOST_BYTES,
  sizeCalculation: ({ html }, name) => Buffer.byteLength(html) + name.length + ENTRY_BYTES,
});

interface CachedProps {
  /** Everything that `content` shows, except `text`. */
  readonly name: string;
  /** A long text in the content, which would make the name long. */
  readonly text?: string | undefined;
  content(): VNode;
}

/** A part of a page whose HTML is cached. The Markdown format calls `content`. */
export function Cached({ name, text, content }: CachedProps): VNode {
  const cached = parts.get(name);
  if (cached && cached.text === text) return jsxTemplate([cached.html]);
  // A flat copy: the renderer concatenates many small strings.
  const html = Buffer.from(renderToString(content())).toString();
  parts.set(name, { html, text });
  return jsxTemplate([html]);
}
