import { notFound } from '../../../operation/errors.ts';
import type { Context } from '../../../operation/operation.ts';
import type { Db } from '../../../platform/postgres/postgres.ts';
import { firstVersion } from './firstVersion.ts';
import { afterBallots, type Decided } from './outcomes.ts';
import type { Constitution, ConstitutionReference, ConstitutionVersion } from './schemas.ts';
import {
  firstVersionOf,
  latestVersionAt,
  type StoredVersion,
  textByHash,
  type VersionRow,
  type Versions,
  versionsAt,
} from './store.ts';

export { firstVersionOf, type StoredVersion, textByHash };

/** Includes an amendment just ratified whose outcome is not stored yet (docs/governance). Unknown hash: `not_found`. */
export async function readConstitution(ctx: Context, { hash }: { hash?: string | undefined }): Promise<Constitution> {
  const { rows: later, first, db } = await laterVersions(ctx, versionsAt);
  const { text: _text, ...version1 } = first;
  const history = [version1, ...later.map(presentVersion)];
  const current = history.at(-1)!;
  const [text, requested] = await Promise.all([
    requireText(db, current.hash),
    hash === undefined ? undefined : requireText(db, hash),
  ]);
  const { version, ratifiedAt } = current;
  return {
    version,
    hash: current.hash,
    text,
    ratifiedAt,
    history,
    ...(hash !== undefined && requested !== undefined ? { requested: { hash, text: requested } } : {}),
  };
}

/** The first version with the last ratified amendment; null while an outcome is not stored. */
export async function versionOfConstitution(
  ctx: Context,
  { hash }: { hash?: string | undefined },
): Promise<string | null> {
  if (hash !== undefined) return null;
  const { rows, due, first } = await latestVersionAt(ctx.db, new Date(ctx.now));
  return due === null ? `${first.hash} ${rows[0]?.version ?? ''} ${rows[0]?.post_id ?? ''}` : null;
}

async function requireText(db: Db, hash: string): Promise<string> {
  const text = await textByHash(db, hash);
  if (text === undefined) throw notFound();
  return text;
}

const presentVersion = ({ version, hash, post_id, ratified_at }: VersionRow): ConstitutionVersion => ({
  version,
  hash,
  postId: post_id,
  ratifiedAt: ratified_at.toISOString(),
});

/** `stored` is a row of `release.latest_version`; it is read again only if an outcome is missing in it. */
export async function constitutionReference(ctx: Context, stored?: StoredVersion): Promise<ConstitutionReference> {
  if (stored?.due === null) return referenceTo(stored.version ? stored : firstVersion(stored.first_hash));
  const { rows, first } = await laterVersions(ctx, latestVersionAt);
  return referenceTo(rows.at(-1) ?? first);
}

const referenceTo = ({ version, hash }: ConstitutionReference): ConstitutionReference => ({ version, hash });

/**
 * Returns the versions after the first, oldest first, with those just ratified, and the database that they were read
 * from.
 */
function laterVersions(ctx: Context, read: typeof versionsAt): Promise<Versions & { readonly db: Db }> {
  return afterBallots(ctx, async (db, decided) => {
    const { rows: stored, due, first } = await read(db, new Date(ctx.now));
    const postIds = new Set(stored.map(({ post_id }) => post_id));
    const fresh = decided.filter(({ outcome, postId }) => outcome === 'ratified' && !postIds.has(postId));
    return { rows: [...stored, ...fresh.map(versionOf)].toSorted((a, b) => a.version - b.version), due, first, db };
  });
}

const versionOf = ({ postId, baseVersion, proposedHash, closesAt }: Decided): VersionRow => ({
  version: baseVersion + 1,
  hash: proposedHash,
  post_id: postId,
  ratified_at: closesAt,
});
