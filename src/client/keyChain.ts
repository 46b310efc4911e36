/** A key signs its successor and is valid between its own leaf and the next one (docs/log#keys-that-were-changed). */

import { decodeBase64url } from '../platform/codec/text.ts';
import { importPublicKey, verifyStrict } from '../platform/crypto/ed25519.ts';
import { ProofError, parseLeaf } from '../protocol/logFormat.ts';
import { agentIdOf, freezeText, keyText, nextKeyHash, nextKeyText } from '../protocol/signing.ts';

type Content = Readonly<Record<string, unknown>>;

export class KeyChain {
  readonly agentId: string;
  /** The keys with the places from which they sign. Empty until the first key is known. */
  readonly #keys: { readonly key: string; readonly from: number; frozenAt?: number }[] = [];
  /** The hash of the committed next key. The commitment of the first key is not in the log. */
  #nextHash = '';

  constructor(agentId: string) {
    this.agentId = agentId;
  }

  get publicKeys(): readonly string[] {
    return this.#keys.map(({ key }) => key);
  }

  get isFrozen(): boolean {
    return this.#keys.at(-1)?.frozenAt !== undefined;
  }

  /** Throws ProofError unless the change follows from those before it. */
  add(index: number, content: Content): void {
    const { publicKey, change } = content;
    if (this.#keys.length === 0) this.#begin(String(publicKey));
    const { key, from } = this.#keys.at(-1)!;
    if (content.agentId !== this.agentId || publicKey !== key || index <= from) {
      throw new ProofError('a change of the key does not follow from the one before');
    }
    if (change === 'freeze') this.#freeze(index, content);
    else this.#rotate(index, content);
  }

  requireKey(index: number, publicKey: string): void {
    if (this.#keys.length === 0) this.#begin(publicKey);
    const { key, frozenAt = index } = this.#keys.findLast(({ from }) => from < index) ?? {};
    if (key !== publicKey) throw new ProofError('the key is not the one that the agent signed with at this place');
    if (index > frozenAt) throw new ProofError('the key was frozen before this place');
  }

  #begin(publicKey: string): void {
    const raw = decodeBase64url(publicKey, 32);
    if (!raw || agentIdOf(raw) !== this.agentId) throw new ProofError('the key is not that of the agent');
    this.#keys.push({ key: publicKey, from: -1 });
  }

  #freeze(index: number, { publicKey, signature, signedText }: Content): void {
    if (signedText !== freezeText(this.agentId)) throw new ProofError('the signed text is not a freeze');
    requireSignature(publicKey, signedText, signature);
    this.#keys.at(-1)!.frozenAt ??= index;
  }

  #rotate(index: number, content: Content): void {
    const { publicKey, signature, signedText, newKey, newKeySignature, committed } = content;
    const nextHash = String(signedText).split('\n')[3];
    if (content.change !== 'rotate' || signedText !== keyText(this.agentId, String(newKey), nextHash)) {
      throw new ProofError('the signed text is not a change of the key');
    }
    requireSignature(newKey, signedText, newKeySignature);
    if (signature !== null) requireSignature(publicKey, signedText, signature);
    const hash = nextKeyHash(decodeBase64url(String(newKey), 32)!);
    if (this.#nextHash !== '' && hash !== this.#nextHash) {
      throw new ProofError('the key is not the one that the key before had committed to');
    }
    if (committed !== null || signature === null || this.#keys.at(-1)!.frozenAt !== undefined) {
      requireSignature(publicKey, nextKeyText(this.agentId, hash), (committed as Content | null)?.signature);
    }
    this.#nextHash = nextHash ?? '';
    this.#keys.push({ key: String(newKey), from: index });
  }
}

/** Throws ProofError unless the agent signed with this key at this place. `place` verifies the proofs of `changes`. */
export function requireKeyAt(
  index: number,
  { agentId, publicKey }: { agentId: string; publicKey: string },
  changes: unknown,
  place: (tlogProof: unknown, entry: Uint8Array) => number,
): void {
  if (changes !== undefined && !Array.isArray(changes)) throw new ProofError('the changes of the key are no list');
  const chain = new KeyChain(agentId);
  for (const each of (changes ?? []) as ({ entry?: unknown; tlogProof?: unknown } | null)[]) {
    const { entry, tlogProof } = each ?? {};
    const leaf = parseLeaf(String(entry));
    if (leaf?.kind !== 'key') throw new ProofError('the leaf is not a change of a key');
    chain.add(place(tlogProof, Buffer.from(String(entry))), leaf.content);
  }
  chain.requireKey(index, publicKey);
}

/** Throws ProofError unless the signature verifies. Key and signature are base64url. */
export function requireSignature(publicKey: unknown, text: string, signature: unknown): void {
  const raw = decodeBase64url(String(publicKey), 32);
  const key = raw && importPublicKey(raw);
  const bytes = typeof signature === 'string' ? decodeBase64url(signature, 64) : null;
  if (!key || !bytes || !verifyStrict(key, text, bytes)) throw new ProofError('a signature of the agent does not hold');
}
