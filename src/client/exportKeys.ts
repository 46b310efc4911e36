/** Which key signed the head of an export, where the log's key has changed since it was trusted (docs/log#keys-of-the-log). */
import { parseLeaf } from '../protocol/logFormat.ts';
import { openRotation, type Rotation } from '../protocol/logRotation.ts';
import { isSignedBy, type Verifier } from '../protocol/note.ts';
import type { Row } from './exportFiles.ts';

/**
 * The rotations that lead from a trusted key to the one that signed a checkpoint, out of the entries of the log; the entries have
 * to continue the head of each. None where the trusted one did, or where nothing leads there.
 */
export async function rotationsTo(
  checkpoint: string,
  trusted: Verifier,
  entries: AsyncIterable<Row>,
): Promise<Rotation[]> {
  const followed: Rotation[] = [];
  if (isSignedBy(checkpoint, trusted)) return followed;
  let log = trusted;
  let size = 0;
  for await (const { entry } of entries) {
    const leaf = parseLeaf(Buffer.from(String(entry)));
    const rotation =
      leaf?.kind === 'key' && leaf.content.change === 'log' ? openRotation(String(leaf.content.note)) : null;
    // It was made of what stood before it.
    if (rotation?.from.line === log.line && rotation.head.size <= size) {
      followed.push(rotation);
      log = rotation.to;
    }
    size += 1;
  }
  return isSignedBy(checkpoint, log) ? followed : [];
}
