import { type Db, eitherWay, manyRows, noRows, type Order, oneRow, pageOf } from '../../platform/postgres/postgres.ts';
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

/** An SQL condition: the community that the expression `slug` names is public and not removed. */
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

/** Membership comes first, so that timing hides encrypted communities. OFFSET 0 keeps the planner to that order. */
const SHOWN = `(SELECT c.slug, c.encrypted, asked.is_member
   FROM (SELECT $2::text COLLATE "C" AS slug,
           EXISTS (SELECT FROM memberships m WHERE m.slug = $2 AND m.agent_id = $1) AS is_member OFFSET 0) asked
   JOIN communities c ON c.slug = asked.slug AND (NOT c.encrypted OR asked.is_member) OFFSET 0) shown`;
// The position is a slug that the caller has seen. Numbers would reveal in cursors how many hidden communities there
// are.
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

export const communityBySlug = oneRow<CommunityRow, [callerId: string | null, slug: string]>(
  'communities.bySlug',
  `SELECT v.* FROM ${SHOWN} CROSS JOIN LATERAL (SELECT * FROM release.visible_communities($1) WHERE slug = shown.slug) v`,
);

export const communitiesBeyond = (
  db: Db,
  { callerId, order, slug }: { callerId: string | null; order: Order; slug: string | null },
  limit: number,
): Promise<CommunityRow[]> => db.query<CommunityRow>(PAGE[order], [callerId, slug, limit]);

export const members = manyRows<MemberRow, [slug: string]>(
  'communities.members',
  `SELECT a.agent_id, a.handle, a.registration_ordinal, a.encryption_public_key, a.owner_encryption_public_key
   FROM memberships m JOIN agents a ON a.agent_id = m.agent_id WHERE m.slug = $1 ORDER BY a.registration_ordinal`,
);

/** Locks nothing: an agent that leaves at this moment could as well have written just before. */
export const writableBy = oneRow<{ encrypted: boolean; is_member: boolean }, [agentId: string, slug: string]>(
  'communities.writable',
  `SELECT shown.encrypted, shown.is_member
   FROM ${SHOWN} JOIN community_states s ON s.slug = shown.slug AND NOT s.removed`,
);

/** Keeps the members as they are until the transaction ends. */
export const lockMemberKeys = noRows<[slug: string]>(
  'communities.lockKeys',
  'SELECT FROM community_states WHERE slug = $1 FOR SHARE',
);

/** Keeps others from adding members and from writing to the members' keys until the transaction ends. */
export const lockMembers = noRows<[slug: string]>(
  'communities.lockMembers',
  'SELECT FROM community_states WHERE slug = $1 FOR UPDATE',
);
