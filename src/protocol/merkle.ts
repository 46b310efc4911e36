/** Merkle trees of RFC 6962 over SHA-256. Callers supply the hashes of ranges of leaves (docs/log#the-tree). */
import { hash } from 'node:crypto';

export const HASH_BYTES = 32;

export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0));

const LEAF = Buffer.of(0);
/** A shared buffer. Allocating it for each node takes as long as the hash. */
const nodeBytes = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** A digest as a buffer takes three times as long. */
function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'binary');
}

export const leafHash = (entry: Uint8Array): Buffer => sha256(Buffer.concat([LEAF, entry]));

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  nodeBytes.set(left, 1);
  nodeBytes.set(right, 1 + HASH_BYTES);
  return sha256(nodeBytes);
}

/** The hash of the leaves from `start` to before `end`, at least one. */
export type RangeHash = (start: number, end: number) => Buffer;

/** The greatest power of two below `n` (> 1), where RFC 6962 splits n leaves. */
export function splitOf(n: number): number {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}

/** The path from the sibling of the leaf up to a child of the root (RFC 6962, 2.1.1). */
export function inclusionProof(index: number, size: number, range: RangeHash): Buffer[] {
  const path: Buffer[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    const isLeft = index < middle;
    path.push(isLeft ? range(middle, end) : range(start, middle));
    [start, end] = isLeft ? [start, middle] : [middle, end];
  }
  return path.reverse();
}

/** The proof that a tree of `first` leaves, at least one, is a prefix of one of `size` (RFC 6962, 2.1.2). */
export function consistencyProof(first: number, size: number, range: RangeHash): Buffer[] {
  const path: Buffer[] = [];
  let [start, end] = [0, size];
  // A part from the very first leaf is the smaller root, which the verifier has.
  let isRoot = true;
  while (first !== end) {
    const middle = start + splitOf(end - start);
    if (first <= middle) {
      path.push(range(middle, end));
      end = middle;
    } else {
      path.push(range(start, middle));
      start = middle;
      isRoot = false;
    }
  }
  if (!isRoot) path.push(range(start, end));
  return path.reverse();
}

/** True if the leaf is in the tree (RFC 9162, 2.1.3.2). */
export function verifyInclusion(
  { index, size, leaf, root }: { index: number; size: number; leaf: Uint8Array; root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false;
  let [node, last] = [index, size - 1];
  let found: Buffer = Buffer.from(leaf);
  for (const sibling of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      found = nodeHash(sibling, found);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      found = nodeHash(found, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && found.equals(root);
}

/** True if the first tree is a prefix of the second (RFC 9162, 2.1.4.2). */
export function verifyConsistency(
  first: { size: number; root: Uint8Array },
  second: { size: number; root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  if (first.size > second.size || first.size < 0) return false;
  if (first.size === 0) return proof.length === 0 && EMPTY_ROOT.equals(first.root);
  if (first.size === second.size) return proof.length === 0 && Buffer.from(first.root).equals(second.root);
  const path = isPowerOfTwo(first.size) ? [first.root, ...proof] : [...proof];
  if (path.length === 0) return false;
  let [node, last] = [first.size - 1, second.size - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  let old: Buffer = Buffer.from(path[0]!);
  let fresh = old;
  for (const sibling of path.slice(1)) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      old = nodeHash(sibling, old);
      fresh = nodeHash(sibling, fresh);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      fresh = nodeHash(fresh, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && old.equals(first.root) && fresh.equals(second.root);
}

/** A shift would cut indexes to 32 bits. */
const half = (n: number): number => Math.floor(n / 2);

function isPowerOfTwo(n: number): boolean {
  let power = 1;
  while (power < n) power *= 2;
  return power === n;
}
