import type { ComponentChildren, VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderToString } from 'preact-render-to-string';
import { Cache, Slabs } from '../cache.ts';
import { assemble, place } from '../pieces.ts';

/** The one place where text becomes markup: HTML that `text/markdown.ts` made, parts that were rendered before, structured data. */

/** A text of an agent, rendered, in UTF-8. `source` is what it wrote, for who reads the page as Markdown. */
export interface ProseProps {
  readonly html: Buffer;
  readonly source: string;
}

const OPEN = Buffer.from('<div class="text" dir="auto">');
const CLOSE = Buffer.from('</div>');

/** Made by text/markdown.ts, which writes nothing but what it made. */
export const Prose = ({ html }: ProseProps): VNode => jsxTemplate([place([OPEN, html, CLOSE])]);

/** A tree as bytes. */
export const renderBytes = (tree: VNode, before = ''): Buffer => assemble(() => before + renderToString(tree));

/** What was rendered of a part: up to its gap, and from there on. */
interface Part {
  readonly before: Buffer;
  readonly after: Buffer;
}

const slabs = new Slabs();
const parts = new Cache<Part>(64 * 1_048_576, {
  bytesOf: ({ before, after }) => before.length + after.length,
  store: ({ before, after }) => ({ before: slabs.store(before), after: slabs.store(after) }),
});

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
  const { before, after } = parts.keep(by.join('\0'), () => renderPart(children(Gap)));
  if (!text) return <Bytes of={[before, after]} />;
  if (!more) return jsxTemplate([place([before, OPEN, text.html, CLOSE, after])]);
  return (
    <>
      <Bytes of={[before, OPEN, text.html, CLOSE]} />
      {more}
      <Bytes of={[after]} />
    </>
  );
}

/** A component, so that they are placed when it is their turn. */
const Bytes = ({ of }: { of: readonly Buffer[] }): VNode => jsxTemplate([place(of)]);

function renderPart(tree: VNode): Part {
  const whole = renderBytes(tree);
  const gap = whole.indexOf(GAP);
  if (gap === -1) return { before: whole, after: whole.subarray(whole.length) };
  return { before: whole.subarray(0, gap), after: whole.subarray(gap + GAP.length) };
}

/** JSON in pieces one after the other: as text, or as `jsonToKeep` made it. */
export type JsonPieces = readonly (string | Buffer)[];

/** JSON for programs that read pages; as data it is not run, and nothing in it ends the element. */
export function StructuredData({ json }: { json: JsonPieces }): VNode {
  const text = json.map((piece) => (typeof piece === 'string' ? withoutMarkup(piece) : place([piece]))).join('');
  return jsxTemplate([`<script type="application/ld+json">${text}</script>`]);
}

/** A value in JSON that stands in structured data again and again. */
export const jsonToKeep = (value: object): Buffer => Buffer.from(withoutMarkup(JSON.stringify(value)));

const withoutMarkup = (json: string): string => json.replaceAll('<', '\\u003c');
