import { type Db, type Postgres, sql } from '../../src/platform/postgres/postgres.ts';
import { canonicalJson } from '../../src/protocol/canonicalJson.ts';
import { type Leaf, parseLeaf } from '../../src/protocol/logFormat.ts';
import { openRotation } from '../../src/protocol/logRotation.ts';
import { HASH_BYTES, leafHash } from '../../src/protocol/merkle.ts';
import {
  type Checkpoint,
  type Head,
  openCheckpointBy,
  parseNote,
  type Verifier,
  verifyNote,
} from '../../src/protocol/note.ts';
import { bundleOf, edgeTiles, entriesOf, TILE_WIDTH, tilePath } from '../../src/protocol/tiles.ts';
import { ENTRIES_LEVEL, publishedCheckpoint, readTiles } from '../../src/recording/logTiles.ts';
import { edgeAt, haltLog, holdHead, moveHead, storeTiles } from './head.ts';
import { forgetRotations, restoreKeyChanges } from './keyChanges.ts';
import { storeRotation } from './rotations.ts';
import { type LogEntry, MAX_LEAVES, type Pending, PLAIN, place, placedWrite, putBack, take } from './sequencer.ts';
import { PUBLISH } from './signer.ts';

export type ReadMirror = (path: string) => Promise<Uint8Array>;

const REPEND = sql(
  'log.repend',
  `WITH beyond AS (
     DELETE FROM log_leaves WHERE leaf_index >= $1
     RETURNING leaf_index, evidence_id, accepted_at, event_id, salts
   )
   INSERT INTO log_pending (pending_id, accepted_at, commitment, event_id, salts)
   SELECT coalesce(b.evidence_id, nextval('public.evidence_ids')), coalesce(b.accepted_at, e.created_at), w.commitment, b.event_id,
          b.salts
   FROM beyond b LEFT JOIN governance_events e ON e.event_id = b.event_id
   LEFT JOIN unnest($2::bigint[], $3::bytea[]) w (leaf_index, commitment) ON w.leaf_index = b.leaf_index
   WHERE b.evidence_id IS NOT NULL OR e.event_id IS NOT NULL`,
);
const REPEND_CHANGES = sql(
  'log.rependChanges',
  'INSERT INTO log_pending (accepted_at, key_change) SELECT clock_timestamp(), change FROM unnest($1::text[]) change',
);
const KEEP_REGISTRATIONS = sql(
  'log.keepRegistrations',
  `UPDATE erased_agents x SET registration = c.content FROM unnest($1::text[], $2::text[]) c (agent_id, content)
   WHERE x.agent_id = c.agent_id`,
);
const CUT_TILES = sql(
  'log.cutTiles',
  `DELETE FROM log_tiles t WHERE t.tile_index >= coalesce(
     (SELECT c.first FROM unnest($1::smallint[], $2::bigint[]) c (level, first) WHERE c.level = t.level), 0)`,
);
const RAISE_ORDINALS = sql(
  'log.raiseOrdinals',
  'UPDATE registration_counter SET last_ordinal = greatest(last_ordinal, $1)',
);
const STRANGERS = sql(
  'log.strangers',
  `SELECT a.agent_id AS "agentId", a.registration_ordinal::float8 AS ordinal FROM agents a
   JOIN unnest($1::bigint[], $2::text[]) l (ordinal, agent_id) ON l.ordinal = a.registration_ordinal
   WHERE l.agent_id <> a.agent_id ORDER BY a.registration_ordinal`,
);
const RENUMBER = sql(
  'log.renumber',
  `WITH counted AS (UPDATE registration_counter SET last_ordinal = last_ordinal + 1 RETURNING last_ordinal),
        searched AS (UPDATE search_agents SET registration_ordinal = (SELECT last_ordinal FROM counted)
                     WHERE registration_ordinal = $1)
   UPDATE agents SET registration_ordinal = (SELECT last_ordinal FROM counted) WHERE registration_ordinal = $1`,
);

/** Why a log was not recovered. Nothing was changed. */
export class RecoveryError extends Error {
  override name = 'RecoveryError';
}

/** A moderation action that is in the log, but not in the database. */
type LostAct = Readonly<Record<'eventId' | 'kind' | 'targetType' | 'target', unknown>>;

export interface Recovered {
  readonly size: number;
  readonly imported: number;
  readonly lost: number;
  readonly acts: readonly LostAct[];
}

export interface RecoveryOptions {
  readonly keys: readonly [Verifier, ...Verifier[]];
  readonly remembered: Head | undefined;
  /** Stores the head in the file before a worker may sign the next one. */
  readonly remember: (note: string) => Promise<void>;
}

/** Recovers the log from a mirror (docs/log#when-it-stops). Throws RecoveryError if that is unsigned or too short. */
export async function recoverLog(
  db: Postgres,
  mirror: ReadMirror,
  { keys, remembered, remember }: RecoveryOptions,
): Promise<Recovered> {
  const note = Buffer.from(await mirror('checkpoint')).toString();
  const head = openCheckpointBy(note, keys);
  if (remembered && remembered.size > head.size) {
    throw new RecoveryError(
      `${remembered.size} entries were signed, but the mirror has ${head.size}: use a mirror that has all of them`,
    );
  }
  const base = (await publishedCheckpoint(db))?.size ?? 0;
  if (base > head.size)
    throw new RecoveryError(
      `${base} entries are published, but the mirror has ${head.size}: use a mirror that has all of them`,
    );
  // Outside the transaction, which the idle limit would end while a mirror responds (docs/operations#time-limits).
  const imported = await importFrom(mirror, base, head.size);
  return db.inTransaction(async (transaction) => {
    if (!(await holdHead(transaction))) throw new RecoveryError('a worker has locked the log: try again');
    const published = await publishedCheckpoint(transaction);
    if ((published?.size ?? 0) !== base) throw new RecoveryError('a head was published meanwhile: try again');
    await cut(transaction, base);
    const { lost, acts } = await bind(transaction, base, imported);
    await requireHead(transaction, head, remembered);
    await count(transaction, head.size, imported);
    await restoreKeyChanges(transaction, base, imported);
    await takeRotations(transaction, imported);
    const isNewest = verifyNote(parseNote(note)!, [keys[0]])!.length > 0;
    const key = isNewest ? keys[0].line : (published?.verifierKey ?? keys[0].line);
    await transaction.query(PUBLISH, [head.origin, key, head.size, note]);
    await haltLog(transaction, null);
    await remember(note);
    return { size: head.size, imported: imported.length, lost, acts };
  });
}

/** Removes all leaves from `base` on; what they stand for waits to be added again. */
export async function cut(db: Db, base: number): Promise<void> {
  const edge = edgeTiles(base);
  const stored = await readTiles(db, [...edge, { level: ENTRIES_LEVEL, index: Math.floor(base / TILE_WIDTH) }]);
  const taken = await leavesFrom(db, base);
  const writes = taken.flatMap(({ index, leaf }) => (leaf?.kind === 'write' ? [{ index, leaf }] : []));
  const commitments = writes.map(({ leaf }) => Buffer.from(leaf.commitment, 'base64url'));
  await db.query(REPEND, [base, writes.map(({ index }) => index), commitments]);
  await forgetRotations(db, base);
  const changes = taken.flatMap(({ leaf }) => (leaf?.kind === 'key' ? [canonicalJson(leaf.content)] : []));
  await db.query(REPEND_CHANGES, [changes]);
  const registrations = taken.flatMap(({ leaf }) => (leaf?.kind === 'agent' ? [leaf.content] : []));
  const contents = registrations.map((content) => canonicalJson(content));
  await db.query(KEEP_REGISTRATIONS, [registrations.map(({ agentId }) => agentId), contents]);
  const levels = [...edge, { level: ENTRIES_LEVEL, index: Math.floor(base / TILE_WIDTH), width: base % TILE_WIDTH }];
  await db.query(CUT_TILES, [levels.map(({ level }) => level), levels.map(({ index }) => index)]);
  const kept = levels.flatMap(({ level, index, width }) => {
    const bytes = stored.find((tile) => tile.level === level && tile.index === index)?.bytes;
    if (width === 0 || !bytes) return [];
    const isBundle = level === ENTRIES_LEVEL;
    const whole = isBundle ? bundleOf(entriesOf(bytes).slice(0, width)) : bytes.subarray(0, width * HASH_BYTES);
    return [{ level, index, bytes: whole }];
  });
  await storeTiles(db, kept);
}

/** The leaves from `base` on. Only they contain key changes, erased names, and the commitments of erased evidence. */
async function leavesFrom(db: Db, base: number): Promise<{ index: number; leaf: Leaf | null }[]> {
  const leaves = [];
  for (let tile = Math.floor(base / TILE_WIDTH), skipped = base % TILE_WIDTH; ; tile++, skipped = 0) {
    const [bundle] = await readTiles(db, [{ level: ENTRIES_LEVEL, index: tile }]);
    if (!bundle) return leaves;
    const entries = entriesOf(bundle.bytes).slice(skipped);
    leaves.push(...entries.map((entry, n) => ({ index: tile * TILE_WIDTH + skipped + n, leaf: parseLeaf(entry) })));
  }
}

async function importFrom(mirror: ReadMirror, base: number, size: number): Promise<Buffer[]> {
  const entries: Buffer[] = [];
  for (let index = Math.floor(base / TILE_WIDTH); index * TILE_WIDTH < size; index++) {
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
    entries.push(...entriesOf(await mirror(`tile/${tilePath({ level: 'entries', index }, width)}`)));
  }
  return entries.slice(base % TILE_WIDTH);
}

/**
 * Adds the entries with the waiting evidence or event of each. Returns how many have none, and the actions among those.
 */
async function bind(db: Db, base: number, entries: readonly Buffer[]): Promise<Pick<Recovered, 'lost' | 'acts'>> {
  const waiting = await takeAll(db);
  const byEntry = new Map<string, { row: Pending; placed: LogEntry }>();
  const byEvent = new Map<string, Pending>();
  const byChange = new Map<string, Pending>();
  for (const row of waiting) {
    if (row.eventId !== null) byEvent.set(row.eventId, row);
    else if (row.keyChange !== null) byChange.set(canonicalJson(JSON.parse(row.keyChange)), row);
    else {
      const placed = await placedWrite(db, row);
      byEntry.set(String(placed.entry), { row, placed });
    }
  }
  const found = new Set<Pending>();
  let lost = 0;
  const acts: LostAct[] = [];
  const placed = entries.map((entry): LogEntry => {
    const leaf = parseLeaf(entry);
    const write = byEntry.get(String(entry));
    const event = leaf?.kind === 'act' ? byEvent.get(String(leaf.content.eventId)) : undefined;
    const change = leaf?.kind === 'key' ? byChange.get(canonicalJson(leaf.content)) : undefined;
    const row = write?.row ?? event ?? change;
    if (row) found.add(row);
    else if (leaf?.kind === 'write' || leaf?.kind === 'act') lost += 1;
    if (!row && leaf?.kind === 'act') {
      const { eventId, kind, targetType, target } = leaf.content;
      acts.push({ eventId, kind, targetType, target });
    }
    if (write) return write.placed;
    return { ...PLAIN, entry, eventId: event?.eventId ?? null, salts: event?.salts ?? null };
  });
  if (placed.length > 0) await place(db, base, placed);
  const rest = waiting.filter((row) => !found.has(row));
  if (rest.length > 0) await putBack(db, rest);
  return { lost, acts };
}

async function takeRotations(db: Db, imported: readonly Buffer[]): Promise<void> {
  for (const entry of imported) {
    const leaf = parseLeaf(entry);
    const note = leaf?.kind === 'key' && leaf.content.change === 'log' ? leaf.content.note : undefined;
    const rotation = typeof note === 'string' && openRotation(note);
    if (rotation) await storeRotation(db, rotation, note);
  }
}

async function takeAll(db: Db): Promise<Pending[]> {
  const all: Pending[] = [];
  for (let taken = MAX_LEAVES; taken === MAX_LEAVES; ) {
    const rows = await take(db, '0');
    all.push(...rows);
    taken = rows.length;
  }
  return all;
}

async function requireHead(db: Db, head: Checkpoint, remembered: Head | undefined): Promise<void> {
  for (const { size, root } of remembered ? [head, remembered] : [head]) {
    if (!(await edgeAt(db, size)).root().equals(root)) {
      throw new RecoveryError(`the first ${size} entries of the mirror are not those that were signed`);
    }
  }
}

/**
 * Stores the head with the counts of the whole log. An agent that registered since gets another ordinal if its own is
 * taken.
 */
async function count(db: Db, size: number, imported: readonly Buffer[]): Promise<void> {
  const counts = { agent: 0, act: 0, key: 0 };
  let lastAct: Buffer | null = null;
  for (let index = 0; index * TILE_WIDTH < size; index++) {
    const [bundle] = await readTiles(db, [{ level: ENTRIES_LEVEL, index }]);
    for (const entry of entriesOf(bundle!.bytes)) {
      const leaf = parseLeaf(entry);
      if (!leaf || leaf.kind === 'write') continue;
      counts[leaf.kind] = leaf.number;
      if (leaf.kind === 'act') lastAct = leafHash(entry);
    }
  }
  const agents = imported.flatMap((entry) => {
    const leaf = parseLeaf(entry);
    return leaf?.kind === 'agent' ? [leaf as Exclude<Leaf, { kind: 'write' }>] : [];
  });
  await db.query(RAISE_ORDINALS, [counts.agent]);
  const ordinals = [agents.map(({ number }) => number), agents.map(({ content }) => content.agentId)];
  for (const { ordinal } of await db.query<{ ordinal: number }>(STRANGERS, ordinals))
    await db.query(RENUMBER, [ordinal]);
  await moveHead(db, { size, agents: counts.agent, acts: counts.act, keys: counts.key, lastAct });
}
