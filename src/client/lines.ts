/** What arrives on standard input, line by line. */

/** Above the forum's bound of a body, which then says so itself; what is longer is never held whole. */
export const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
/** More than anybody writes around the identifier of a message. */
const KEPT_BYTES = 256;

/** A line above the bound, of which both ends are known and nothing else. */
export class LongLine {
  readonly start: string;
  readonly end: string;

  constructor(start: Buffer, end: Buffer) {
    this.start = start.toString('utf8', 0, KEPT_BYTES);
    this.end = end.subarray(-KEPT_BYTES).toString();
  }
}

/** Lines as bytes, so that what is signed is what was written; empty ones are skipped. One that is too long ends no other. */
export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | LongLine> {
  let rest = Buffer.alloc(0);
  /** Of a line that is too long: `rest` has the end of it. */
  let start: Buffer | undefined;
  for await (const chunk of input) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      const line = trimmed(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      if (line.length > 0) yield bounded(line, start);
      start = undefined;
    }
    // One more may be the carriage return.
    if (rest.length > MAX_LINE_BYTES + 1) {
      start ??= Buffer.from(rest.subarray(0, KEPT_BYTES));
      rest = Buffer.from(rest.subarray(-KEPT_BYTES));
    }
  }
  const line = trimmed(rest);
  if (line.length > 0) yield bounded(line, start);
}

const bounded = (line: Buffer, start?: Buffer): Uint8Array | LongLine =>
  start || line.length > MAX_LINE_BYTES ? new LongLine(start ?? line, line) : line;

/** Without the carriage return that some platforms write. */
const trimmed = (line: Buffer): Buffer => (line.at(-1) === 0x0d ? line.subarray(0, -1) : line);
