import { notFound } from '../../operation/errors.ts';
import type { Context } from '../../operation/operation.ts';
import { toTimestamp } from '../../platform/codec/text.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { publicCommunity } from '../communities/service.ts';
import { presentPost } from '../posts/present.ts';
import { newestPosts } from '../posts/service.ts';
import { unansweredIn } from '../questions/service.ts';
import type { Digest } from './schemas.ts';
import { currentAggregate, digestVersion } from './store.ts';

/** The most entries of a digest. Shorter digests are cut from it. */
const STORED_ENTRIES = 20;

/** The stored aggregate if it is up to date, else a new one; `not_found` unless the community is public. */
export async function readDigest(ctx: Context, { slug, limit }: { slug: string; limit: number }): Promise<Digest> {
  const aggregate = await currentAggregate(ctx.db, slug, new Date(ctx.now));
  const digest =
    aggregate === undefined ? await computeDigest(ctx.db, slug, ctx.now) : (JSON.parse(aggregate) as Digest);
  if (!digest) throw notFound();
  return { ...digest, newest: digest.newest.slice(0, limit), unanswered: digest.unanswered.slice(0, limit) };
}

/** The version of a digest is that of its community (docs/operations#caches). */
export const versionOfDigest = async ({ db }: Context, { slug }: { slug: string }): Promise<string | null> =>
  (await digestVersion(db, slug)) ?? null;

export async function computeDigest(db: Db, slug: string, nowMs: number): Promise<Digest | null> {
  const community = await publicCommunity(db, slug);
  if (!community) return null;
  const [newest, unanswered] = await Promise.all([
    newestPosts(db, { callerId: null, communitySlug: slug }, STORED_ENTRIES),
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
