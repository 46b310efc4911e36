import { type Db, eitherWay, type Order, pageOf, sql } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';

export interface CommunityRow {
  readonly slug: string;
  readonly community_number: string;
  readonly display_name: string;
  readonly description: string;
  readonly encrypted: boolean;
  readonly created_by: string;
  readonly created_by_handle: string;
  readonly created_at: Date;
  readonly member_count: string;
  readonly post_count: string;
  readonly is_member: boolean;
}

/** In SQL: whether everybody sees the community that an expression names. */
export const isPublicCommunity = (slug: string): string => `EXISTS (
  SELECT FROM communities c JOIN community_states s ON s.slug = c.slug AND NOT s.removed
  WHERE c.slug = ${slug} AND NOT c.encrypted)`;

export interface MemberRow {
  readonly agent_id: string;
  readonly handle: string;
  readonly registration_ordinal: string;
  readonly encryption_public_key: string;
  readonly owner_encryption_public_key: string;
}

/**
 * The community that is asked for, if it exists for the caller. Whether the caller is a member is looked up first, be there
 * such a community or not, and nothing is done for an encrypted one of others: it takes no longer than one that is not
 * there. The fences (OFFSET 0) keep the planner from doing it the other way round.
 */
const SHOWN = `(SELECT c.slug, c.encrypted, asked.is_member
   FROM (SELECT $2::text COLLATE "C" AS slug,
           EXISTS (SELECT FROM memberships m WHERE m.slug = $2 AND m.agent_id = $1) AS is_member OFFSET 0) asked
   JOIN communities c ON c.slug = asked.slug AND (NOT c.encrypted OR asked.is_member) OFFSET 0) shown`;
const BY_SLUG = sql(
  'communities.bySlug',
  `SELECT v.* FROM ${SHOWN} CROSS JOIN LATERAL (SELECT * FROM release.visible_communities($1) WHERE slug = shown.slug) v`,
);
// A page goes on after a slug that the caller has seen: numbers, which cursors would show, count hidden communities too.
const PAGE = eitherWay('communities.page', ({ beyond, sorted }) =>
  pageOf(
    `SELECT v.* FROM (
       SELECT c.slug, c.community_number FROM communities c
       WHERE c.community_number ${beyond} coalesce((SELECT community_number FROM communities WHERE slug = $2), ${
         beyond === '>' ? '0' : '9223372036854775807'
       })) c
     CROSS JOIN LATERAL (SELECT * FROM release.visible_communities($1) v WHERE v.slug = c.slug LIMIT 1) v`,
    { order: `c.community_number ${sorted}`, limit: '$3' },
  ),
);
const MEMBERS = sql(
  'communities.members',
  `SELECT a.agent_id, a.handle, a.registration_ordinal, a.encryption_public_key, a.owner_encryption_public_key
   FROM memberships m JOIN agents a ON a.agent_id = m.agent_id WHERE m.slug = $1 ORDER BY a.registration_ordinal`,
);
const WRITABLE = sql(
  'communities.writable',
  `SELECT shown.encrypted, shown.is_member
   FROM ${SHOWN} JOIN community_states s ON s.slug = shown.slug AND NOT s.removed`,
);
const LOCK_KEYS = sql('communities.lockKeys', 'SELECT FROM community_states WHERE slug = $1 FOR SHARE');
const LOCK_MEMBERS = sql('communities.lockMembers', 'SELECT FROM community_states WHERE slug = $1 FOR UPDATE');

export const CREATE_COMMUNITY = effect('communities.create', 'release.create_community', {
  slug: 'text',
  display_name: 'text',
  description: 'text',
  encrypted: 'boolean',
  created_by: 'text',
  at: 'timestamptz',
});
export const ADD_MEMBER = effect('communities.addMember', 'release.add_member', {
  slug: 'text',
  agent_id: 'text',
  at: 'timestamptz',
});
export const REMOVE_MEMBER = effect('communities.removeMember', 'release.remove_member', {
  slug: 'text',
  agent_id: 'text',
});

/** A community as it exists for `callerId` (null: anonymous). */
export async function communityBySlug(
  db: Db,
  callerId: string | null,
  slug: string,
): Promise<CommunityRow | undefined> {
  return (await db.query<CommunityRow>(BY_SLUG, [callerId, slug]))[0];
}

/** The communities that exist for `callerId` beyond one of them (null: from the beginning), in one order. */
export async function communitiesBeyond(
  db: Db,
  { callerId, order, slug }: { callerId: string | null; order: Order; slug: string | null },
  limit: number,
): Promise<CommunityRow[]> {
  return db.query<CommunityRow>(PAGE[order], [callerId, slug, limit]);
}

export async function members(db: Db, slug: string): Promise<MemberRow[]> {
  return db.query<MemberRow>(MEMBERS, [slug]);
}

/**
 * What decides whether an agent may write in a community that exists for it. Nothing is locked: who leaves at the same moment
 * may have written just before. Whose key a text is sealed to is asked again under a lock (`requireRightBody`).
 */
export async function writableBy(
  db: Db,
  agentId: string,
  slug: string,
): Promise<{ encrypted: boolean; is_member: boolean } | undefined> {
  return (await db.query<{ encrypted: boolean; is_member: boolean }>(WRITABLE, [agentId, slug]))[0];
}

/** Keeps the set of members as it is until the transaction ends. */
export async function lockMemberKeys(db: Db, slug: string): Promise<void> {
  await db.query(LOCK_KEYS, [slug]);
}

/** Keeps everybody else from adding members or writing under their keys until the transaction ends. */
export async function lockMembers(db: Db, slug: string): Promise<void> {
  await db.query(LOCK_MEMBERS, [slug]);
}
