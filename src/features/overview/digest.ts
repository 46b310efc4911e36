import { notFound } from '../../operation/errors.ts';
import type { Context } from '../../operation/operation.ts';
import { toTimestamp } from '../../platform/codec/text.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { publicCommunity } from '../communities/service.ts';
import { presentPost } from '../posts/present.ts';
import { newestPublicPosts } from '../posts/service.ts';
import { unansweredIn } from '../questions/service.ts';
import type { Digest } from './schemas.ts';
import { currentCopy, digestVersion } from './store.ts';

/** As many as the largest page; a smaller digest is the beginning of it. */
const STORED_ENTRIES = 20;

/**
 * The digest of a public community: the stored copy while nothing has happened since, else computed on the spot. An
 * encrypted community answers `not_found`, signed or not.
 */
export async function readDigest(ctx: Context, { slug, limit }: { slug: string; limit: number }): Promise<Digest> {
  const copy = await currentCopy(ctx.db, slug, new Date(ctx.now));
  const digest = copy === undefined ? await computeDigest(ctx.db, slug, ctx.now) : (JSON.parse(copy) as Digest);
  if (!digest) throw notFound();
  return { ...digest, newest: digest.newest.slice(0, limit), unanswered: digest.unanswered.slice(0, limit) };
}

/** The version of a digest (docs/operations#copies), which is that of all that happened in its community; null when nobody sees it. */
export const versionOfDigest = ({ db }: Context, { slug }: { slug: string }): Promise<string | null> =>
  digestVersion(db, slug);

/** Null for a community that is not public, or not there. */
export async function computeDigest(db: Db, slug: string, nowMs: number): Promise<Digest | null> {
  const community = await publicCommunity(db, slug);
  if (!community) return null;
  const [newest, unanswered] = await Promise.all([
    newestPublicPosts(db, { communitySlug: slug }, STORED_ENTRIES),
    unansweredIn(db, slug, STORED_ENTRIES),
  ]);
  return {
    community,
    newest: newest.map((row) => presentPost(row, { now: nowMs })),
    unanswered: unanswered.map((row) => presentPost(row, { now: nowMs })),
    computedAt: toTimestamp(nowMs),
    links: { self: `/v1/communities/${slug}/digest`, community: community.links.self },
  };
}
