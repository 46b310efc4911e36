import { NothingSent } from '../../platform/postgres/errors.ts';
import { type Db, isPostgresUnavailable, isTimeout, sqlState } from '../../platform/postgres/postgres.ts';
import { withTimeout } from '../../platform/withTimeout.ts';
import { isFed, type SearchDb } from './databases.ts';

/** So long an index that was lost is not asked again: to find out may take seconds. */
const LOST_MS = 5_000;
/** So long it is taken for granted that an index is still the one that is kept up. */
const SURE_MS = 1_000;
const sureAt = new WeakMap<Db, number>();
const lostAt = new WeakMap<Db, number>();
/** So long a search waits to be told; a host that vanished without a word would take seconds to be given up. */
const ASKED_MS = 300;
/** Whoever comes meanwhile shares the answer. */
const asked = new WeakMap<Db, Promise<boolean>>();
const originOf = (db: Db): Db => db.origin ?? db;
const isOne = ({ posts, index }: SearchDb): boolean => originOf(posts) === originOf(index);
const wasWithin = (ms: number, moments: WeakMap<Db, number>, { index }: SearchDb): boolean =>
  performance.now() - (moments.get(originOf(index)) ?? Number.NEGATIVE_INFINITY) < ms;

/**
 * Whether an index may be asked: not while it is lost, nor from a second after another took its place. One beside the posts
 * is emptied then, so that it says itself what it lacks. Of a lost one is found out beside the searches, so that none waits
 * for it, and of another for so long at most.
 */
export async function mayBeAsked(db: SearchDb): Promise<boolean> {
  if (isOne(db) || wasWithin(SURE_MS, sureAt, db)) return true;
  if (wasWithin(LOST_MS, lostAt, db)) return false;
  const index = originOf(db.index);
  const answer = asked.get(index) ?? ask({ posts: originOf(db.posts), index });
  if (lostAt.has(index)) return false;
  return withTimeout(answer, ASKED_MS, () => false);
}

/** Whether an index is the one that is kept up; false as well when it does not say so. */
function ask(db: SearchDb): Promise<boolean> {
  const answer = isFed(db)
    .then(
      (isKept) => {
        lostAt.delete(db.index);
        if (isKept) sureAt.set(db.index, performance.now());
        return isKept;
      },
      (error: unknown) => {
        isLoss(db, error);
        return false;
      },
    )
    .finally(() => asked.delete(db.index));
  asked.set(db.index, answer);
  return answer;
}

/** Whether a failure is a database's, whatever it says: not there, not made, not to be reached. A time limit is none. */
export const isDatabaseFailure = (error: unknown): boolean =>
  !isTimeout(error) && (error instanceof NothingSent || sqlState(error) !== undefined || isPostgresUnavailable(error));

/** Whether a failure may be that of an index of its own alone: that is then lost. */
export function isLoss(db: SearchDb, error: unknown): boolean {
  if (isOne(db) || !isDatabaseFailure(error)) return false;
  sureAt.delete(originOf(db.index));
  lostAt.set(originOf(db.index), performance.now());
  return true;
}
