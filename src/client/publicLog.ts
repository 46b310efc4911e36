/**
 * Reads the public log (docs/log#tiles): verifies the trusted key, the remembered head, and that a later head continues
 * it.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { decodeBase64url } from '../platform/codec/text.ts';
import { type Act, ActChain, actOf, Withheld } from '../protocol/acts.ts';
import { type Leaf, ProofError, parseLeaf } from '../protocol/logFormat.ts';
import { openRotation } from '../protocol/logRotation.ts';
import {
  consistencyProof,
  inclusionProof,
  leafHash,
  type RangeHash,
  verifyConsistency,
  verifyInclusion,
} from '../protocol/merkle.ts';
import {
  type Checkpoint,
  CheckpointError,
  type Head,
  openCheckpointBy,
  parseVerifierKey,
  type Verifier,
} from '../protocol/note.ts';
import { agentIdOf, REGISTRATION_FORMAT } from '../protocol/signing.ts';
import {
  entriesOf,
  hashesAt,
  rangeFromTiles,
  TILE_WIDTH,
  type TileId,
  TreeEdge,
  tilePath,
  tilesNeeded,
} from '../protocol/tiles.ts';
import { ArgumentError } from './errors.ts';
import { KeyChain, requireSignature } from './keyChain.ts';
import { requireQuorum, type Trust } from './proof.ts';

/** Reads the bytes of a path below `/log/`, such as `checkpoint`. */
export type ReadLog = (path: string) => Promise<Uint8Array>;

/** The current key of the log, and earlier ones from the first trusted key on. */
export interface Followed {
  readonly log: Verifier;
  readonly past: readonly Verifier[];
}

/** Each key signs its successor; the log continues the former head (docs/log#keys-of-the-log). Throws ProofError. */
export async function followKeys(read: ReadLog, trusted: Verifier): Promise<Followed> {
  const current = parseVerifierKey(
    Buffer.from(await read('vkey'))
      .toString()
      .trim(),
  );
  if (!current) throw new ProofError('the forum shows no key of its log');
  if (current.name !== trusted.name) {
    throw new ProofError(`the log is named ${current.name} now, and the trusted key is that of ${trusted.name}`);
  }
  if (current.line === trusted.line) return { log: trusted, past: [] };
  const { rotations } = JSON.parse(Buffer.from(await read('rotations')).toString()) as {
    rotations: { note: string }[];
  };
  const past: Verifier[] = [];
  const followed: { note: string; head: Head }[] = [];
  let log = trusted;
  for (const { note } of rotations) {
    const rotation = openRotation(String(note));
    if (rotation?.from.line !== log.line) continue;
    past.push(log);
    followed.push({ note, head: rotation.head });
    log = rotation.to;
  }
  if (log.line !== current.line)
    throw new ProofError('no rotation leads from the trusted key to the one that signs now');
  const head = openedHead(Buffer.from(await read('checkpoint')).toString(), { log });
  for (const rotation of followed) {
    await requireContinuation(read, rotation.head, head);
    await requireLeafOf(read, rotation, head);
  }
  return { log, past };
}

/** Reads every entry from the head of the rotation on, because its leaf comes soon after. */
async function requireLeafOf(read: ReadLog, rotation: { note: string; head: Head }, head: Head): Promise<void> {
  for (let tile = Math.floor(rotation.head.size / TILE_WIDTH); tile * TILE_WIDTH < head.size; tile++) {
    const id = { level: 'entries', index: tile } as const;
    const entries = entriesOf(await read(`tile/${tilePath(id, widthOf(id, head.size))}`));
    const n = entries.findIndex((entry) => {
      const leaf = parseLeaf(entry);
      return leaf?.kind === 'key' && leaf.content.change === 'log' && leaf.content.note === rotation.note;
    });
    if (n === -1) continue;
    const index = tile * TILE_WIDTH + n;
    const path = (range: RangeHash) => inclusionProof(index, head.size, range);
    const proof = path(await rangeOf(read, head.size, path).catch(problem));
    if (verifyInclusion({ index, size: head.size, root: head.root, leaf: leafHash(entries[n]!) }, proof)) return;
  }
  throw new ProofError('a rotation of the key of the log is not in the log');
}

/** A key, or the path of a file with one. The last head is remembered beside that file. */
export interface TrustedKey {
  readonly line: string;
  readonly memory?: string;
}

/**
 * Reads the verifier key of a log.
 *
 * @param given - The key itself, or the path of a file with one.
 * @returns The key as a line and parsed. For a file also the path at which the last head is remembered.
 * @throws ArgumentError if it is neither a key nor a file, ProofError for a file without a key.
 */
export async function readTrustedKey(given: string): Promise<TrustedKey & { readonly log: Trust['log'] }> {
  const inline = parseVerifierKey(given);
  if (inline) return { line: given, log: inline };
  const problem = `${given} is neither a key of a log nor a file with one`;
  const content = await readFile(given, 'utf8').catch((error: unknown) => {
    throw new ArgumentError(problem, { cause: error });
  });
  const line = content.trim();
  const log = parseVerifierKey(line);
  if (!log) throw new ProofError(problem);
  return { line, log, memory: `${given}.head` };
}

const widthOf = ({ level, index }: TileId, size: number): number =>
  Math.min(TILE_WIDTH, hashesAt(level === 'entries' ? 0 : level, size) - index * TILE_WIDTH);

async function rangeOf(read: ReadLog, size: number, compute: (range: RangeHash) => unknown): Promise<RangeHash> {
  const tiles = new Map<string, Uint8Array>();
  for (const tile of tilesNeeded(compute)) {
    tiles.set(`${tile.level}/${tile.index}`, await read(`tile/${tilePath(tile, widthOf(tile, size))}`));
  }
  return rangeFromTiles((level, index) => tiles.get(`${level}/${index}`));
}

/** Throws ProofError unless the larger head continues the smaller one. */
export async function requireContinuation(read: ReadLog, one: Head, other: Head): Promise<void> {
  const [first, second] = one.size <= other.size ? [one, other] : [other, one];
  const compute = (range: RangeHash) =>
    first.size === 0 || first.size === second.size ? [] : consistencyProof(first.size, second.size, range);
  const proof = compute(await rangeOf(read, second.size, compute).catch(problem));
  if (!verifyConsistency(first, second, proof)) {
    throw new ProofError(
      `the log of ${second.size} entries does not continue the one of ${first.size} that was signed`,
    );
  }
}

function problem(error: unknown): never {
  if (error instanceof Error && /is missing or too short$/.test(error.message)) throw new ProofError(error.message);
  throw error;
}

export async function rememberedHead({ log, past, memory }: Followed & { memory: string }): Promise<Head | undefined> {
  const kept = await readFile(memory, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return kept === undefined ? undefined : openedHead(kept, { log }, past);
}

/** Verifies that a head continues the remembered one, and remembers the larger. Without `memory` it does nothing. */
export async function remember(
  read: ReadLog,
  { log, past, memory }: Followed & { memory?: string | undefined },
  checkpoint: Head,
  note: string,
): Promise<void> {
  if (memory === undefined) return;
  const known = await rememberedHead({ log, past, memory });
  if (known) await requireContinuation(read, known, checkpoint);
  if (known && known.size >= checkpoint.size) return;
  await writeFile(`${memory}.new`, note, { flush: true });
  await rename(`${memory}.new`, memory);
}

/** Opens a head signed by the trusted key or an earlier one. Throws ProofError. */
export function openedHead(note: string, { log, witnesses = [] }: Trust, past: readonly Verifier[] = []): Checkpoint {
  try {
    return openCheckpointBy(note, [log, ...past], witnesses);
  } catch (error) {
    throw error instanceof CheckpointError ? new ProofError(error.message) : error;
  }
}

/** The result of `verifyLog`. */
export interface VerifiedLog {
  /** The name of the log. */
  readonly origin: string;
  /** The number of entries. */
  readonly size: number;
  /** The signed note of the head. */
  readonly note: string;
  /** The head. */
  readonly head: Checkpoint;
  /** The number of entries of each kind. */
  readonly leaves: Readonly<Record<Leaf['kind'], number>>;
  /** The content that moderation actions withhold. */
  readonly withheld: Withheld;
  /** The moderation actions by their place in the log. */
  readonly acts: ReadonlyMap<number, Act>;
}

/**
 * Reads the whole log and verifies it: its root, and that no agent, moderation action or key change is missing
 * (docs/log).
 *
 * @param read - Reads a path below `/log/`.
 * @param trust - The key of the log, and the witnesses.
 * @param see - Gets the index and the bytes of each entry.
 * @returns The head and the counts of the log.
 * @throws ProofError for the first violation.
 */
export async function verifyLog(
  read: ReadLog,
  trust: Trust,
  see: (index: number, entry: Buffer) => void = () => {},
): Promise<VerifiedLog> {
  const note = Buffer.from(await read('checkpoint')).toString();
  const head = openedHead(note, trust);
  requireQuorum(head.cosigners.length, trust);
  const edge = new TreeEdge(0, []);
  const audit = new Audit();
  for (let index = 0; index * TILE_WIDTH < head.size; index++) {
    const width = widthOf({ level: 'entries', index }, head.size);
    const entries = entriesOf(await read(`tile/${tilePath({ level: 'entries', index }, width)}`));
    for (const [n, entry] of entries.entries()) {
      audit.add(edge.size + n, entry);
      see(edge.size + n, entry);
    }
    edge.append(entries.map(leafHash));
  }
  if (edge.size !== head.size || !edge.root().equals(head.root)) {
    throw new ProofError('the entries are not those of the head that was signed');
  }
  const { leaves, withheld, acts } = audit;
  return { origin: head.origin, size: head.size, note, head, leaves, withheld, acts };
}

/** Throws ProofError unless the agent's key signed the registration with its other keys. */
function requireRegistration({ agentId, keys, signedText, signature }: Readonly<Record<string, unknown>>): void {
  const { signing, encryption, ownerEncryption } = (keys ?? {}) as Readonly<Record<string, unknown>>;
  const raw = decodeBase64url(String(signing), 32);
  if (!raw || agentIdOf(raw) !== agentId)
    throw new ProofError(`the key of ${String(agentId)} is not that of the agent`);
  const covered = `${REGISTRATION_FORMAT}\n${signing}\n${encryption}\n${ownerEncryption}\n`;
  if (!String(signedText).startsWith(covered))
    throw new ProofError(`the keys of ${String(agentId)} are not those that it signed`);
  requireSignature(signing, String(signedText), signature);
}

/** The act of a removal comes after the head. */
export const LATER = Symbol('later');

/** The problem of a withheld entry, or null. Acts after the head are not known yet. */
export function problemOfWithheld(
  withheld: string,
  act: string | undefined,
  { acts, withheld: names, size }: Pick<VerifiedLog, 'acts' | 'withheld' | 'size'>,
): string | typeof LATER | null {
  if (act === undefined) return `is ${withheld}, and no act says so`;
  const found = acts.get(Number(act));
  if (!found) return Number(act) >= size ? LATER : `is ${withheld} by entry ${act}, which is not a moderation action`;
  const { type, id } = found;
  const conditions = withheld === 'erased' ? (['erased'] as const) : (['removed', 'vetoed'] as const);
  return conditions.some((condition) => names.has(type, id, condition))
    ? null
    : `is ${withheld} by act ${act}, which makes nothing ${withheld} any more`;
}

/** Follows the public leaves. Throws ProofError if one is missing. */
export class Audit {
  readonly leaves: Record<Leaf['kind'], number> = { write: 0, agent: 0, act: 0, key: 0 };
  readonly withheld = new Withheld();
  readonly acts = new Map<number, Act>();
  readonly #chain = new ActChain();
  readonly #keys = new Map<string, KeyChain>();

  add(index: number, entry: Buffer): Leaf {
    const leaf = parseLeaf(entry);
    if (!leaf) throw new ProofError('an entry is not a leaf of this format');
    this.leaves[leaf.kind] += 1;
    if (leaf.kind === 'write') return leaf;
    if (leaf.number !== this.leaves[leaf.kind]) {
      throw new ProofError(`${leaf.kind} ${this.leaves[leaf.kind]} is missing: ${leaf.number} comes in its place`);
    }
    if (leaf.kind === 'agent') requireRegistration(leaf.content);
    if (leaf.kind === 'key' && typeof leaf.content.agentId === 'string') {
      this.#addKey(index, leaf.content.agentId, leaf.content);
    }
    if (leaf.kind !== 'act') return leaf;
    const problem = this.#chain.follow(entry, leaf.number, leaf.content.before);
    if (problem !== null) throw new ProofError(problem);
    const act = actOf(leaf.content);
    this.acts.set(index, act);
    this.withheld.apply(act);
    return leaf;
  }

  requireKey(index: number, { agentId, publicKey }: { agentId: string; publicKey: string }): void {
    this.keysOf(agentId).requireKey(index, publicKey);
  }

  keysOf(agentId: string): KeyChain {
    return this.#keys.get(agentId) ?? new KeyChain(agentId);
  }

  #addKey(index: number, agentId: string, content: Readonly<Record<string, unknown>>): void {
    const chain = this.keysOf(agentId);
    this.#keys.set(agentId, chain);
    chain.add(index, content);
  }
}
