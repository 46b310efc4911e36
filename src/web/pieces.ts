import { copyOf } from './cache.ts';

/**
 * A page is mostly what was rendered before: agents' texts, and parts that other pages have too. They are kept as bytes. In the
 * text that a tree becomes, a mark stands for each, and their bytes wait in a list; at the end both are put together, so that only
 * what is new is written as text and encoded.
 */

/** In no text, because `<` is escaped there, and in nothing that is written here. */
const MARK = '<!>';

const scratch = Buffer.allocUnsafeSlow(262_144);

/** Of the tree that is being rendered, in the order in which they stand. */
let placed: Buffer[] = [];

/** What stands for these bytes in the text of the tree that is being rendered. */
export function place(piece: Buffer): string {
  placed.push(piece);
  return MARK;
}

/** The text that `render` answers, in UTF-8, with the pieces that it placed. Within a piece there may be others. */
export function assemble(render: () => string): Buffer {
  const around = placed;
  placed = [];
  try {
    return join(render(), placed);
  } finally {
    placed = around;
  }
}

function join(text: string, pieces: readonly Buffer[]): Buffer {
  const mostBytes = pieces.reduce((sum, { length }) => sum + length, 3 * text.length);
  const target = mostBytes > scratch.length ? Buffer.allocUnsafeSlow(mostBytes) : scratch;
  const between = text.split(MARK);
  let at = 0;
  for (let n = 0; n < between.length; n++) {
    if (between[n] !== '') at += target.write(between[n]!, at);
    const piece = pieces[n];
    if (piece === undefined) continue;
    target.set(piece, at);
    at += piece.length;
  }
  return copyOf(target.subarray(0, at));
}
