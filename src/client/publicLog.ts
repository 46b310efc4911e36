/**
 * The log as its readers keep it (docs/log#tiles): the key that they trust, the last head that they saw, and whether a
 * later one continues it.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { type Leaf, ProofError, parseLeaf } from '../formats/logFormat.ts';
import { consistencyProof, leafHash, type RangeHash, verifyConsistency } from '../formats/merkle.ts';
import { type Checkpoint, CheckpointError, type Head, openCheckpoint, parseVerifierKey } from '../formats/note.ts';
import {
  entriesOf,
  hashesAt,
  rangeFromTiles,
  TILE_WIDTH,
  type TileId,
  TreeEdge,
  tilePath,
  tilesNeeded,
} from '../formats/tiles.ts';
import { KeyChain } from './keyChain.ts';
import { requireQuorum, type Trust } from './proof.ts';

/** Answers the bytes of a path under `/log/`. */
export type ReadLog = (path: string) => Promise<Uint8Array>;

/** The key in a file, or the key itself; where it is a file, the last head is remembered beside it. */
export interface TrustedKey {
  readonly line: string;
  readonly memory?: string;
}

/** Reads the key of the log, from a file or as it is. Throws ProofError for what is none. */
export async function readTrustedKey(given: string): Promise<TrustedKey & { readonly log: Trust['log'] }> {
  const inline = parseVerifierKey(given);
  if (inline) return { line: given, log: inline };
  const line = (await readFile(given, 'utf8').catch(() => '')).trim();
  const log = parseVerifierKey(line);
  if (!log) throw new ProofError(`${given} is no key of a log, nor a file with one`);
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

/** Compares a head with the remembered one, and remembers the greater. `undefined`: nothing is kept. */
export async function remember(
  read: ReadLog,
  { log, memory }: { log: Trust['log']; memory?: string },
  checkpoint: Head,
  note: string,
): Promise<void> {
  if (memory === undefined) return;
  const kept = await readFile(memory, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const known = kept === undefined ? undefined : opened(kept, { log });
  if (known) await requireContinuation(read, known, checkpoint);
  if (known && known.size >= checkpoint.size) return;
  await writeFile(`${memory}.new`, note, { flush: true });
  await rename(`${memory}.new`, memory);
}

function opened(note: string, { log, witnesses = [] }: Trust): Checkpoint {
  try {
    return openCheckpoint(note, log, witnesses);
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
  /** What the acts in it make removed, suspended or vetoed, as `type id`; hidden targets by their commitments. */
  readonly withheld: readonly string[];
}

/**
 * Reads every entry and checks that they make the signed root, that no agent, act or change of a key is left out, and that each
 * act and each key of an agent follows from the one before. Throws ProofError.
 */
export async function verifyLog(read: ReadLog, trust: Trust): Promise<VerifiedLog> {
  const note = Buffer.from(await read('checkpoint')).toString();
  const head = opened(note, trust);
  requireQuorum(head.cosigners.length, trust);
  const edge = new TreeEdge(0, []);
  const audit = new Audit();
  for (let index = 0; index * TILE_WIDTH < head.size; index++) {
    const width = widthOf({ level: 'entries', index }, head.size);
    const entries = entriesOf(await read(`tile/${tilePath({ level: 'entries', index }, width)}`));
    edge.append(entries.map(leafHash));
    for (const entry of entries) audit.add(entry);
  }
  if (edge.size !== head.size || !edge.root().equals(head.root)) {
    throw new ProofError('the entries are not those of the head that was signed');
  }
  return { origin: head.origin, size: head.size, note, head, leaves: audit.leaves, withheld: audit.withheld };
}

const APPLIES: Readonly<Record<string, readonly [condition: string, applies: boolean]>> = {
  remove_content: ['removed', true],
  restore_content: ['removed', false],
  suspend_agent: ['suspended', true],
  reinstate_agent: ['suspended', false],
  veto: ['vetoed', true],
};

/** Follows the leaves that everybody can read. */
class Audit {
  readonly leaves: Record<Leaf['kind'], number> = { write: 0, agent: 0, act: 0, key: 0 };
  readonly #withheld = new Set<string>();
  readonly #chains = new Map<string, KeyChain>();
  #lastAct: string | null = null;
  #size = 0;

  add(entry: Buffer): void {
    const leaf = parseLeaf(entry);
    if (!leaf) throw new ProofError('an entry is no leaf of this format');
    this.#size += 1;
    this.leaves[leaf.kind] += 1;
    if (leaf.kind === 'write') return;
    if (leaf.number !== this.leaves[leaf.kind]) {
      throw new ProofError(`${leaf.kind} ${this.leaves[leaf.kind]} is missing: ${leaf.number} comes in its place`);
    }
    if (leaf.kind === 'act') this.#addAct(leaf.content, leafHash(entry).toString('base64url'));
    if (leaf.kind === 'key' && typeof leaf.content.agentId === 'string')
      this.#addKey(leaf.content.agentId, leaf.content);
  }

  #addKey(agentId: string, content: Readonly<Record<string, unknown>>): void {
    const chain = this.#chains.get(agentId) ?? new KeyChain(agentId);
    this.#chains.set(agentId, chain);
    chain.add(this.#size - 1, content);
  }

  #addAct({ before, kind, target, targetType }: Readonly<Record<string, unknown>>, hash: string): void {
    if (before !== this.#lastAct) throw new ProofError('an act does not follow from the one before');
    this.#lastAct = hash;
    const [condition, applies] = APPLIES[String(kind)] ?? [];
    if (condition === undefined) return;
    const id = typeof target === 'string' ? target : (target as { commitment: string }).commitment;
    const name = `${targetType} ${id} ${condition}`;
    if (applies) this.#withheld.add(name);
    else this.#withheld.delete(name);
  }

  get withheld(): string[] {
    return [...this.#withheld].toSorted();
  }
}
