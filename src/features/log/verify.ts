import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { MAX_PROBLEMS } from '../../platform/postgres/slices.ts';
import { commitmentTo, evidenceText, writeLeaf } from '../../protocol/logFormat.ts';
import { leafHash } from '../../protocol/merkle.ts';
import { parseCheckpointText, parseNote } from '../../protocol/note.ts';
import { TILE_WIDTH, TreeEdge } from '../../protocol/tiles.ts';
import { publishedCheckpoint } from '../../recording/logTiles.ts';
import { ActReplay } from './acts.ts';
import { bundleAt } from './proofs.ts';
import { evidenceOf, evidenceOfLeaves } from './store.ts';
import { TilesOfEntries } from './tilesOfEntries.ts';

const COUNTS = sql(
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

interface Counts {
  readonly size: number;
  readonly leaves: number;
  readonly astray: number;
  readonly eventsAstray: number;
}

/**
 * Checks that every piece of evidence and every public event has one place in the log or waits for one, that the leaves are
 * those of the evidence, that they make the tiles that are served and the tree whose head is published, and that the acts in it, replayed, withhold what the
 * service withholds. Returns the problems, none when all is good;
 * writes nothing. To be called in one snapshot.
 */
export async function verifyStoredLog(db: Db): Promise<string[]> {
  const [{ size, leaves, astray, eventsAstray }] = (await db.query<Counts>(COUNTS)) as [Counts];
  const problems: string[] = [];
  if (leaves !== size) problems.push(`the log has ${size} entries, and ${leaves} are known`);
  if (astray > 0) problems.push(`${astray} accepted writes have no place in the log, or several`);
  if (eventsAstray > 0) problems.push(`${eventsAstray} public events have no place in the log, or several`);
  const published = await publishedCheckpoint(db);
  const head = published && parseCheckpointText(parseNote(published.note)?.text ?? '');
  const edge = new TreeEdge(0, []);
  const replay = new ActReplay();
  const tiles = new TilesOfEntries();
  for (let index = 0; index * TILE_WIDTH < size; index++) {
    const entries = await bundleAt(db, index);
    if (entries?.length !== Math.min(TILE_WIDTH, size - index * TILE_WIDTH))
      return [...problems, `the entries from ${index * TILE_WIDTH} on are missing`];
    problems.push(...(await forgedIn(db, index * TILE_WIDTH, entries)));
    await replay.follow(db, index * TILE_WIDTH, entries);
    const hashes = entries.map(leafHash);
    problems.push(...(await tiles.follow(db, hashes)));
    const until = (head?.size ?? 0) - edge.size;
    if (head && until > 0 && until <= hashes.length) {
      edge.append(hashes.splice(0, until));
      if (!edge.root().equals(head.root)) problems.push('the entries are not those of the published head');
    }
    edge.append(hashes);
    if (problems.length >= MAX_PROBLEMS) return problems.slice(0, MAX_PROBLEMS);
  }
  problems.push(...(await tiles.rest(db)), ...(await replay.problems(db)));
  if (head && head.size > size) problems.push(`${head.size} entries are published, and here are ${size}`);
  return problems.slice(0, MAX_PROBLEMS);
}

/** Leaves of writes that are not what their evidence makes; of those whose evidence is lost nothing can be said. */
async function forgedIn(db: Db, first: number, entries: readonly Buffer[]): Promise<string[]> {
  const rows = await evidenceOfLeaves(db, first, first + entries.length);
  return rows
    .filter((row) => {
      const leaf = writeLeaf(commitmentTo(row.salt, evidenceText(evidenceOf(row))));
      return !entries[row.leaf_index! - first]!.equals(leaf);
    })
    .map((row) => `the entry ${row.leaf_index} is not that of its evidence`);
}
