import { Gathered } from './gathered.ts';

/** The body of an answer that was fetched, until the signal of its request aborts; a `RangeError` beyond `mostBytes`. */
export async function readAnswer(response: Response, mostBytes: number): Promise<Buffer> {
  const body = new Gathered(mostBytes);
  for await (const piece of response.body ?? []) {
    if (!body.add(piece)) throw new RangeError(`the answer exceeds ${mostBytes} bytes`);
  }
  return body.bytes();
}
