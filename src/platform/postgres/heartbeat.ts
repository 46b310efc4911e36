import { RELEASE } from './release.ts';
import { type Db, sql } from './statement.ts';

const BEAT_MS = 60_000;

const SEEN = sql('release.seen', 'UPDATE releases SET seen_at = clock_timestamp() WHERE name = $1');

/** Records each minute that this release still runs, so that no migration removes its functions. */
export function startHeartbeat(db: Db): { stop(): void } {
  const beat = () => void db.query(SEEN, [RELEASE]).catch(() => {});
  beat();
  const timer = setInterval(beat, BEAT_MS).unref();
  return { stop: () => clearInterval(timer) };
}
