/** An answer for everybody whose last value is another one for each who signs: a string that JSON writes letter for letter. */
export interface Ending {
  readonly copy: Buffer;
  /** What stands there for everybody, and for this caller. */
  readonly value: string;
  readonly own: string;
}

const CLOSING = '"}';

/** The last value of an answer as everybody gets it. */
export function lastValueOf(copy: Buffer): string {
  const end = copy.length - CLOSING.length;
  return copy.toString('latin1', copy.lastIndexOf('"', end - 1) + 1, end);
}

/** The answer with the caller's own value at its end. */
export const endedAnew = (ending: Ending): Buffer =>
  Buffer.concat(withOwn(ending.copy, [ending.copy.length - CLOSING.length - ending.value.length], ending));

/** Bytes in which the value stands at some places, in their order, with the caller's own there instead: in pieces. */
export function withOwn(bytes: Buffer, places: readonly number[], { value, own }: Ending): Buffer[] {
  const instead = Buffer.from(own, 'latin1');
  const pieces: Buffer[] = [];
  let from = 0;
  for (const place of places) {
    pieces.push(bytes.subarray(from, place), instead);
    from = place + value.length;
  }
  pieces.push(bytes.subarray(from));
  return pieces;
}
