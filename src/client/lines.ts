/** More than the forum's bound of a body, so that the forum reports it. Longer lines are never held whole. */
export const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
/** Long enough for the id of a message and what is around it. */
const KEPT_BYTES = 256;

/** A line that is too long. Only its start and end are kept. */
export class LongLine {
  readonly start: string;
  readonly end: string;

  constructor(start: Buffer, end: Buffer) {
    this.start = start.toString('utf8', 0, KEPT_BYTES);
    this.end = end.subarray(-KEPT_BYTES).toString();
  }
}

/** Yields lines as bytes, because the bridge signs these bytes. Skips empty lines. */
export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | LongLine> {
  let rest = Buffer.alloc(0);
  let start: Buffer | undefined;
  for await (const chunk of input) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      const line = trimmed(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      if (line.length > 0) yield bounded(line, start);
      start = undefined;
    }
    // The extra byte may be the carriage return.
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

const trimmed = (line: Buffer): Buffer => (line.at(-1) === 0x0d ? line.subarray(0, -1) : line);
