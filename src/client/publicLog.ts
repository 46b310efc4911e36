/**
 * The log as its readers keep it (docs/log#tiles): the key that they trust, the last head that they saw, and whether a
 * later one continues it.
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

/** Answers the bytes of a path under `/log/`. */
export type ReadLog = (path: string) => Promise<Uint8Array>;

/** Whom a reader trusts now, and before, by keys that lead from the one that was trusted first. */
export interface Followed {
  readonly log: Verifier;
  readonly past: readonly Verifier[];
}

/**
 * Follows the log from a trusted key to the one that signs now (docs/log#keys-of-the-log): each key has signed over to the next, each
 * rotation is a leaf of the log, and the log continues the head that the former key stands for. Throws ProofError.
 */
export async function followKeys(read: ReadLog, trusted: Verifier): Promise<Followed> {
  const current = parseVerifierKey(
    Buffer.from(await read('vkey'))
      .toString()
      .trim(),
  );
  if (!current) throw new ProofError('the forum shows no key of its log');
  if (current.name !== trusted.name) {
    throw new ProofError(`the log is called ${current.name} now, and the trusted key is that of ${trusted.name}`);
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

/** Behind the head at which it was made, and not far: every entry from there on is read. */
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

/** The key in a file, or the key itself; where it is a file, the last head is remembered beside it. */
export interface TrustedKey {
  readonly line: string;
  readonly memory?: string;
}

/** Reads the key of the log, from a file or as it is. Throws ArgumentError where no file is there, ProofError for one without a key. */
export async function readTrustedKey(given: string): Promise<TrustedKey & { readonly log: Trust['log'] }> {
  const inline = parseVerifierKey(given);
  if (inline) return { line: given, log: inline };
  const problem = `${given} is no key of a log, nor a file with one`;
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

/** Throws ProofError unless the smaller of two heads is the beginning of the greater one. */
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

/** The head that was seen last; undefined where none was. */
export async function rememberedHead({
  log,
  past = [],
  memory,
}: {
  log: Trust['log'];
  past?: readonly Verifier[] | undefined;
  memory: string;
}): Promise<Head | undefined> {
  const kept = await readFile(memory, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return kept === undefined ? undefined : openedHead(kept, { log }, past);
}

/** Compares a head with the remembered one, and remembers the greater. `undefined`: nothing is kept. */
export async function remember(
  read: ReadLog,
  {
    log,
    past = [],
    memory,
  }: { log: Trust['log']; past?: readonly Verifier[] | undefined; memory?: string | undefined },
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

/** The head of a note that the log signed, by the trusted key or one of its past ones. Throws ProofError. */
export function openedHead(note: string, { log, witnesses = [] }: Trust, past: readonly Verifier[] = []): Checkpoint {
  try {
    return openCheckpointBy(note, [log, ...past], witnesses);
  } catch (error) {
    throw error instanceof CheckpointError ? new ProofError(error.message) : error;
  }
}

/** What the whole log was found to hold. */
export interface VerifiedLog {
  readonly origin: string;
  readonly size: number;
  readonly note: string;
  readonly head: Checkpoint;
  readonly leaves: Readonly<Record<Leaf['kind'], number>>;
  /** What the acts in it withhold. */
  readonly withheld: Withheld;
  /** The acts by their places. */
  readonly acts: ReadonlyMap<number, Act>;
}

/**
 * Reads every entry and checks that they make the signed root, that no agent, act or change of a key is left out, and that each
 * act and each key of an agent follows from the one before; `see` is shown each. Throws ProofError.
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

/** Throws ProofError unless the agent's own key has signed what the leaf says of it, its other keys too. */
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

/** A removal whose act has no place below the head yet. */
export const LATER = Symbol('later');

/** What is wrong with what is withheld by the act at a place; null for nothing. Acts beyond the head are not known yet. */
export function problemOfWithheld(
  withheld: string,
  act: string | undefined,
  { acts, withheld: names, size }: Pick<VerifiedLog, 'acts' | 'withheld' | 'size'>,
): string | typeof LATER | null {
  if (act === undefined) return `is ${withheld}, and no act says so`;
  const found = acts.get(Number(act));
  if (!found) return Number(act) >= size ? LATER : `is ${withheld} by entry ${act}, which is no act`;
  const { type, id } = found;
  const conditions = withheld === 'erased' ? (['erased'] as const) : (['removed', 'vetoed'] as const);
  return conditions.some((condition) => names.has(type, id, condition))
    ? null
    : `is ${withheld} by act ${act}, which makes nothing ${withheld} any more`;
}

/** Follows the leaves that everybody can read. Throws ProofError where one is missing. */
export class Audit {
  readonly leaves: Record<Leaf['kind'], number> = { write: 0, agent: 0, act: 0, key: 0 };
  readonly withheld = new Withheld();
  readonly acts = new Map<number, Act>();
  readonly #chain = new ActChain();
  readonly #keys = new Map<string, KeyChain>();

  /** Answers the leaf that an entry is. */
  add(index: number, entry: Buffer): Leaf {
    const leaf = parseLeaf(entry);
    if (!leaf) throw new ProofError('an entry is no leaf of this format');
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

  /** Throws ProofError unless a key is the one that its agent signed the entry at a place with. */
  requireKey(index: number, { agentId, publicKey }: { agentId: string; publicKey: string }): void {
    this.keysOf(agentId).requireKey(index, publicKey);
  }

  /** The changes of an agent's key up to here. */
  keysOf(agentId: string): KeyChain {
    return this.#keys.get(agentId) ?? new KeyChain(agentId);
  }

  #addKey(index: number, agentId: string, content: Readonly<Record<string, unknown>>): void {
    const chain = this.keysOf(agentId);
    this.#keys.set(agentId, chain);
    chain.add(index, content);
  }
}
