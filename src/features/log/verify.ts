import { type Db, manyRows } from '../../platform/postgres/postgres.ts';
import { MAX_PROBLEMS } from '../../platform/postgres/slices.ts';
import { type Act, ActChain, actOf, HIDDEN, Withheld } from '../../protocol/acts.ts';
import { commitmentTo, evidenceText, parseLeaf, SALT_BYTES, writeLeaf } from '../../protocol/logFormat.ts';
import { HASH_BYTES, leafHash } from '../../protocol/merkle.ts';
import { parseCheckpointText, parseNote } from '../../protocol/note.ts';
import { type ChangedTile, TILE_WIDTH, TreeEdge } from '../../protocol/tiles.ts';
import { publishedCheckpoint, readTiles } from '../../recording/logTiles.ts';
import { unlikeStanding } from '../governance/moderation/verify.ts';
import { bundleAt } from './proofs.ts';
import { evidenceOf, evidenceOfLeaves } from './store.ts';

interface Counts {
  readonly size: number;
  readonly leaves: number;
  readonly astray: number;
  readonly eventsAstray: number;
}
const countsOf = manyRows<Counts>(
  'log.counts',
  `SELECT h.size::float8 AS size, (SELECT count(*) FROM log_leaves)::float8 AS leaves,
     (SELECT count(*) FROM (
        SELECT FROM write_evidence e LEFT JOIN (
          SELECT evidence_id FROM log_leaves WHERE evidence_id IS NOT NULL
          UNION ALL SELECT pending_id FROM log_pending WHERE event_id IS NULL) p ON p.evidence_id = e.evidence_id
        GROUP BY e.evidence_id HAVING count(p.evidence_id) <> 1) astray)::float8 AS astray,
     (SELECT count(*) FROM (
        SELECT FROM governance_events e LEFT JOIN (
          SELECT event_id FROM log_leaves WHERE event_id IS NOT NULL
          UNION ALL SELECT event_id FROM log_pending WHERE event_id IS NOT NULL) p ON p.event_id = e.event_id
        GROUP BY e.event_id HAVING count(p.event_id) <> 1) astray)::float8 AS "eventsAstray"
   FROM log_head h`,
);

/** Returns problems of places, leaves, tiles and head, and of what replayed acts withhold. Call it in one snapshot. */
export async function verifyStoredLog(db: Db): Promise<string[]> {
  const [{ size, leaves, astray, eventsAstray }] = (await countsOf(db)) as [Counts];
  const problems: string[] = [];
  if (leaves !== size) problems.push(`the log has ${size} entries, and ${leaves} are known`);
  if (astray > 0) problems.push(`${astray} accepted writes have no place in the log, or several`);
  if (eventsAstray > 0) problems.push(`${eventsAstray} public events have no place in the log, or several`);
  const published = await publishedCheckpoint(db);
  const head = published && parseCheckpointText(parseNote(published.note)?.text ?? '');
  const edge = new TreeEdge(0, []);
  const replay = new ActReplay();
  let partial: ChangedTile[] = [];
  for (let index = 0; index * TILE_WIDTH < size; index++) {
    const entries = await bundleAt(db, index);
    if (entries?.length !== Math.min(TILE_WIDTH, size - index * TILE_WIDTH))
      return [...problems, `the entries from ${index * TILE_WIDTH} on are missing`];
    problems.push(...(await forgedIn(db, index * TILE_WIDTH, entries)));
    await replay.follow(db, index * TILE_WIDTH, entries);
    const hashes = entries.map(leafHash);
    const changed: ChangedTile[] = [];
    const until = (head?.size ?? 0) - edge.size;
    if (head && until > 0 && until <= hashes.length) {
      changed.push(...edge.append(hashes.splice(0, until)).filter(isFull));
      if (!edge.root().equals(head.root)) problems.push('the entries are not those of the published head');
    }
    changed.push(...edge.append(hashes));
    problems.push(...(await unlikeTiles(db, changed.filter(isFull))));
    partial = changed.filter((tile) => !isFull(tile));
    if (problems.length >= MAX_PROBLEMS) return problems.slice(0, MAX_PROBLEMS);
  }
  problems.push(...(await unlikeTiles(db, partial)), ...(await replay.problems(db)));
  if (head && head.size > size) problems.push(`${head.size} entries are published, but the database has ${size}`);
  return problems.slice(0, MAX_PROBLEMS);
}

const isFull = ({ hashes }: ChangedTile): boolean => hashes.length === TILE_WIDTH * HASH_BYTES;

/** The stored tiles that are not those of the entries. Stored tiles may have more hashes than a partial one here. */
async function unlikeTiles(db: Db, tiles: readonly ChangedTile[]): Promise<string[]> {
  const stored = await readTiles(db, tiles);
  return tiles
    .filter(({ level, index, hashes }) => {
      const found = stored.find((tile) => tile.level === level && tile.index === index);
      return !found?.bytes.subarray(0, hashes.length).equals(hashes);
    })
    .map(({ level, index }) => `the tile ${level}/${index} is missing, or not that of the entries`);
}

/** Leaves of writes that do not match their evidence. Leaves without evidence cannot be checked. */
async function forgedIn(db: Db, first: number, entries: readonly Buffer[]): Promise<string[]> {
  const rows = await evidenceOfLeaves(db, first, first + entries.length);
  return rows
    .filter((row) => {
      const leaf = writeLeaf(commitmentTo(row.salt, evidenceText(evidenceOf(row))));
      return !entries[row.leaf_index! - first]!.equals(leaf);
    })
    .map((row) => `the entry ${row.leaf_index} is not that of its evidence`);
}

interface LoggedEvent {
  readonly leafIndex: number;
  readonly salts: Buffer;
  readonly kind: string;
  readonly type: string;
  readonly id: string;
  readonly hidden: boolean;
  readonly reason: string;
  readonly moderator: string | null;
  readonly until: Date | null;
}

const eventsOfActs = manyRows<LoggedEvent, [first: number, end: number]>(
  'log.eventsOfActs',
  `SELECT l.leaf_index::float8 AS "leafIndex", l.salts, e.kind, e.target_type AS type, e.target_id AS id, e.hidden, e.reason,
     e.moderator_id AS moderator, e.until
   FROM log_leaves l JOIN governance_events e ON e.event_id = l.event_id WHERE l.leaf_index >= $1 AND l.leaf_index < $2`,
);
const waitingActs = manyRows<Act>(
  'log.waitingActs',
  `SELECT e.kind, e.target_type AS type, e.target_id AS id, e.until FROM log_pending p JOIN governance_events e ON e.event_id = p.event_id
   ORDER BY p.pending_id`,
);

/** Finds forged and omitted acts whatever the tables of governance contain (docs/log#leaves). */
class ActReplay {
  readonly #chain = new ActChain();
  readonly #withheld = new Withheld();
  readonly #problems: string[] = [];

  async follow(db: Db, first: number, entries: readonly Buffer[]): Promise<void> {
    const events = await eventsOfActs(db, first, first + entries.length);
    const byIndex = new Map(events.map((event) => [event.leafIndex, event]));
    for (const [n, entry] of entries.entries()) {
      const leaf = parseLeaf(entry);
      if (leaf?.kind !== 'act') continue;
      const problem = this.#chain.follow(entry, leaf.number, leaf.content.before);
      if (problem !== null) this.#problems.push(problem);
      const event = byIndex.get(first + n);
      const act = actOf(leaf.content);
      if (event && !matchesLeaf(event, leaf.content))
        this.#problems.push(`the event of moderation action ${leaf.number} was changed`);
      // The leaf of a hidden target has a commitment, so the id comes from the event. A worker of the previous release
      // leaves `until` out.
      this.#withheld.apply(event ? { ...act, id: event.hidden ? event.id : act.id, until: event.until } : act);
    }
  }

  /** Applies actions that wait for a place too, then returns all problems. */
  async problems(db: Db): Promise<string[]> {
    for (const act of await waitingActs(db)) this.#withheld.apply(act);
    const unlike = await unlikeStanding(db, this.#withheld, 'act in the log');
    return [...this.#problems, ...unlike];
  }
}

function matchesLeaf(
  { kind, type, id, hidden, reason, moderator, until, salts }: LoggedEvent,
  content: Readonly<Record<string, unknown>>,
): boolean {
  const commitment = (salt: Buffer, text: string) => commitmentTo(salt, text).toString('base64url');
  const target = hidden ? HIDDEN + commitment(salts.subarray(0, SALT_BYTES), id) : id;
  const act = actOf(content);
  const published = (content.reason as { commitment?: unknown } | null)?.commitment;
  return (
    act.kind === kind &&
    act.type === type &&
    act.id === target &&
    (content.moderator === undefined || content.moderator === moderator) &&
    (content.until === undefined || content.until === until?.toISOString()) &&
    published === commitment(salts.subarray(SALT_BYTES), reason)
  );
}
