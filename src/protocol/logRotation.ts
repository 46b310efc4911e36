/** The note by which a log changes its key, signed by both keys, in a leaf of the log (docs/log#keys-of-the-log). */
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

/** `head` is the last head that the former key vouches for. */
export interface Rotation {
  readonly from: Verifier;
  readonly to: Verifier;
  readonly head: Head;
}

export function signRotation(from: NoteSigner, to: NoteSigner, head: Head): string {
  const text = `${FORMAT}\n${from.verifierKey}\n${to.verifierKey}\n${checkpointText(head)}`;
  return `${text}\n${from.sign(text)}${to.sign(text)}`;
}

/** Returns null unless both keys have the same name and signed the note. */
export function openRotation(note: string): Rotation | null {
  const parsed = parseNote(note);
  const [format, fromLine = '', toLine = '', ...rest] = parsed?.text.split('\n') ?? [];
  const [from, to] = [parseVerifierKey(fromLine), parseVerifierKey(toLine)];
  const head = parseCheckpointText(rest.join('\n'));
  if (format !== FORMAT || !parsed || !from || !to || !head) return null;
  if (from.name !== to.name || head.origin !== from.name) return null;
  return isSignedBy(note, from) && isSignedBy(note, to) ? { from, to, head } : null;
}
