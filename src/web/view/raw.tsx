import type { ComponentChildren, VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderToString } from 'preact-render-to-string';
import { Cache, Slabs } from '../cache.ts';
import { assemble, place } from '../pieces.ts';
import { escapeMarkup } from '../text/escape.ts';

/** The one place where text becomes markup: HTML that `text/markdown.ts` made, parts that were rendered before, structured data. */

/** A text of an agent, rendered, in UTF-8. `source` is what it wrote, for who reads the page as Markdown. */
export interface ProseProps {
  readonly html: Buffer;
  readonly source: string;
}

const OPEN = Buffer.from('<div class="text" dir="auto">');
const CLOSE = Buffer.from('</div>');

/** Made by text/markdown.ts, which writes nothing but what it made. */
export const Prose = (props: ProseProps): VNode => jsxTemplate([placeProse(props)]);

const placeProse = ({ html }: ProseProps): string => place(OPEN) + place(html) + place(CLOSE);

/** A tree as bytes. */
export const renderBytes = (tree: VNode, before = ''): Buffer => assemble(() => before + renderToString(tree));

/** What was rendered of a part, between its gaps. */
type Part = readonly Buffer[];

const slabs = new Slabs();
const parts = new Cache<Part>(64 * 1_048_576, {
  bytesOf: (part) => part.reduce((sum, { length }) => sum + length, 0),
  store: (part) => part.map((bytes) => slabs.store(bytes)),
});

/** Where what is not kept stands in a part that is. No text has it in it, because in a text `<` is escaped. */
const GAP = '<!gap>';
const Gap = jsxTemplate([GAP]);

/** What stands in a gap. */
type Fill = string | VNode | ProseProps | null;

/** A part with gaps, in the order in which they stand, and what stands in each now. */
export interface KeptProps {
  readonly by: readonly (string | number | boolean)[];
  readonly fill?: readonly Fill[];
  readonly children: (...gaps: ComponentChildren[]) => VNode;
}

const isProse = (fill: Fill): fill is ProseProps => fill !== null && typeof fill !== 'string' && 'html' in fill;
const isTree = (fill: Fill): boolean => fill !== null && typeof fill !== 'string' && !('html' in fill);

/**
 * A part that stands on a page many times, or on many pages, and is the same but for its gaps whenever `by` is the same, which
 * begins with an id or with what the part is: rendered once. Of a page on which one of them changed the others are rendered already.
 * U+0000 parts the members of `by`: no text that is shown has it.
 */
export function Kept({ by, fill = [], children }: KeptProps): VNode {
  const part = parts.keep(by.join('\0'), () => renderPart(children(...fill.map(() => Gap))));
  if (!fill.some(isTree)) return jsxTemplate([filledText(part, fill)]);
  return (
    <>
      {part.map((bytes, n) => (
        <>
          <Bytes bytes={bytes} />
          {filling(fill[n] ?? null)}
        </>
      ))}
    </>
  );
}

/** A component, so that they are placed when it is their turn. */
const Bytes = ({ bytes }: { bytes: Buffer }): VNode => jsxTemplate([place(bytes)]);

function filledText(part: Part, fill: readonly Fill[]): string {
  let text = '';
  for (let n = 0; n < part.length; n++) {
    text += place(part[n]!);
    const each = fill[n] ?? '';
    text += typeof each === 'string' ? escapeMarkup(each) : placeProse(each as ProseProps);
  }
  return text;
}

/** The same of a part as a tree, for who does not keep it. */
export const unkept = ({ fill = [], children }: KeptProps): VNode => children(...fill.map(filling));

const filling = (fill: Fill): ComponentChildren => (isProse(fill) ? <Prose {...fill} /> : fill);

function renderPart(tree: VNode): Part {
  const pieces: Buffer[] = [];
  let rest = renderBytes(tree);
  for (let gap = rest.indexOf(GAP); gap !== -1; gap = rest.indexOf(GAP)) {
    pieces.push(rest.subarray(0, gap));
    rest = rest.subarray(gap + GAP.length);
  }
  return [...pieces, rest];
}

/** JSON in pieces one after the other: as text, or as `jsonToKeep` made it. */
export type JsonPieces = readonly (string | Buffer)[];

/** JSON for programs that read pages; as data it is not run, and nothing in it ends the element. */
export function StructuredData({ json }: { json: JsonPieces }): VNode {
  const text = json.map((piece) => (typeof piece === 'string' ? withoutMarkup(piece) : place(piece))).join('');
  return jsxTemplate([`<script type="application/ld+json">${text}</script>`]);
}

/** A value in JSON that stands in structured data again and again. */
export const jsonToKeep = (value: object): Buffer => Buffer.from(withoutMarkup(JSON.stringify(value)));

const withoutMarkup = (json: string): string => json.replaceAll('<', '\\u003c');
