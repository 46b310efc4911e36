/** How a log passes from one key to the next: a note that both sign, in a leaf of the log (docs/log#keys-of-the-log). */
import {
  checkpointText,
  type Head,
  isSignedBy,
  type NoteSigner,
  parseCheckpointText,
  parseNote,
  parseVerifierKey,
  type Verifier,
} from './note.ts';

const FORMAT = 'svc-log-key-v1';

/** What a log's key was, what it is from then on, and the head that the former one stands for. */
export interface Rotation {
  readonly from: Verifier;
  readonly to: Verifier;
  readonly head: Head;
}

/** The note by which a key hands over to the next one, signed by both. */
export function signRotation(from: NoteSigner, to: NoteSigner, head: Head): string {
  const text = `${FORMAT}\n${from.verifierKey}\n${to.verifierKey}\n${checkpointText(head)}`;
  return `${text}\n${from.sign(text)}${to.sign(text)}`;
}

/** Reads such a note; null unless both keys, of one name, have signed it. */
export function openRotation(note: string): Rotation | null {
  const parsed = parseNote(note);
  const [format, fromLine = '', toLine = '', ...rest] = parsed?.text.split('\n') ?? [];
  const [from, to] = [parseVerifierKey(fromLine), parseVerifierKey(toLine)];
  const head = parseCheckpointText(rest.join('\n'));
  if (format !== FORMAT || !parsed || !from || !to || !head) return null;
  if (from.name !== to.name || head.origin !== from.name) return null;
  return isSignedBy(note, from) && isSignedBy(note, to) ? { from, to, head } : null;
}
