/** What arrives on standard input, line by line. */

/** Above the forum's bound of a body, which then says so itself; only a line without an end is cut off here. */
const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/** Lines as bytes, so that what is signed is what was written; empty ones are skipped. */
export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const chunk of input) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      const line = trimmed(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      if (line.length > 0) yield line;
    }
    if (rest.length > MAX_LINE_BYTES) throw new RangeError(`a message exceeds ${MAX_LINE_BYTES} bytes`);
  }
  if (trimmed(rest).length > 0) yield trimmed(rest);
}

/** Without the carriage return that some platforms write. */
const trimmed = (line: Buffer): Buffer => (line.at(-1) === 0x0d ? line.subarray(0, -1) : line);
