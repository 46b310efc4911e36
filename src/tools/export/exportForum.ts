import { MIGRATION_NAMES } from '../../../migrations/run.ts';
import type { Config } from '../../config.ts';
import { awaitOutcomes } from '../../features/governance/amendments/outcomes.ts';
import type { Context } from '../../operation/operation.ts';
import { type Db, type Postgres, sql } from '../../platform/postgres/postgres.ts';
import { StartupError } from '../../platform/startupError.ts';
import { EXPORT_FORMAT, type ExportFile, type Manifest } from '../../protocol/exportFormat.ts';
import { VERSION } from '../../protocol/service.ts';
import { publishedCheckpoint } from '../../recording/logTiles.ts';
import { ExportFolder } from './folder.ts';
import {
  agentRows,
  anonymousContext,
  challengeRows,
  entryRows,
  findingRows,
  list,
  listedRows,
  replyRows,
} from './rows.ts';
import { firstUnpublished, type Uncovered, uncoveredBy } from './uncovered.ts';

const NOW = sql('export.now', 'SELECT clock_timestamp() AS now');

/**
 * Writes an export from one snapshot, in constant memory (docs/log#exports). Throws `StartupError` if no checkpoint is
 * signed.
 */
export async function exportForum(db: Postgres, config: Config, path: string): Promise<Manifest> {
  const folder = new ExportFolder(path);
  try {
    const now = await votesDecided(db);
    return await db.inTransaction((snapshot) => writeAll(snapshot, { config, folder, now }), { snapshot: true });
  } catch (error) {
    await folder.discard();
    throw error;
  }
}

/**
 * Waits for the outcomes of all votes that have ended, and returns the time before which none changes
 * (docs/governance).
 */
async function votesDecided(db: Db): Promise<Date> {
  const [{ now }] = (await db.query<{ now: Date }>(NOW)) as [{ now: Date }];
  await awaitOutcomes({ primary: db, aheadMs: 0 }, now.getTime());
  return now;
}

interface Export {
  readonly config: Config;
  readonly folder: ExportFolder;
  /** A time before the snapshot at which the outcomes of votes were final. */
  readonly now: Date;
}

async function writeAll(db: Db, { config, folder, now }: Export): Promise<Manifest> {
  const checkpoint = await publishedCheckpoint(db);
  if (!checkpoint) throw new StartupError('The log has no signed head yet. Run a worker with LOG_SIGNING_KEY.');
  await folder.begin();
  const seen = { agents: 0 };
  const ctx = anonymousContext(db, config, now.getTime());
  const unpublished = await firstUnpublished(db, config.proofDelaySeconds, now);
  await folder.write('entries', entryRows(ctx, { size: checkpoint.size, unpublished }, seen));
  const uncovered = await uncoveredBy(db, { size: checkpoint.size, unpublished });
  for (const [file, rows] of Object.entries(rowsOf(ctx, uncovered, seen.agents))) {
    await folder.write(file as ExportFile, rows);
  }
  const manifest: Manifest = {
    format: EXPORT_FORMAT,
    version: VERSION,
    schema: MIGRATION_NAMES.at(-1)!,
    exportedAt: now.toISOString(),
    checkpoint: checkpoint.note,
    files: folder.files,
  };
  await folder.complete(manifest);
  return manifest;
}

/** The rows of all files but `entries`. Reads run when the rows are consumed. */
function rowsOf(
  ctx: Context,
  uncovered: Uncovered,
  agents: number,
): Record<Exclude<ExportFile, 'entries'>, AsyncIterable<object>> {
  return {
    agents: agentRows(ctx, agents),
    communities: listedRows(ctx, uncovered, { read: 'community.list', id: 'slug' }),
    posts: listedRows(ctx, uncovered, { read: 'post.list', id: 'postId' }),
    replies: replyRows(ctx, uncovered),
    findings: findingRows(ctx, uncovered),
    challenges: challengeRows(ctx, uncovered),
    feedback: listedRows(ctx, uncovered, { read: 'feedback.list', id: 'feedbackId' }),
    governance: listedRows(ctx, uncovered, { read: 'governance.events', id: 'eventId' }),
    meter: list(ctx, 'meter.receipts'),
  };
}
