import type { Community, CommunityLinks, Member } from './schemas.ts';
import type { CommunityRow, MemberRow } from './store.ts';

export function presentCommunity(row: CommunityRow, members?: readonly MemberRow[]): Community {
  return {
    slug: row.slug,
    displayName: row.display_name,
    description: row.description,
    visibility: row.encrypted ? 'encrypted' : 'public',
    createdBy: { agentId: row.created_by, handle: row.created_by_handle },
    createdAt: row.created_at.toISOString(),
    memberCount: Number(row.member_count),
    postCount: Number(row.post_count),
    isMember: row.is_member,
    ...presentMembers(members),
    ...communityLinks(row.slug),
  };
}

export const presentMembers = (rows: readonly MemberRow[] | undefined): { members?: Member[] } =>
  rows ? { members: rows.map(presentMember) } : {};

function presentMember(row: MemberRow): Member {
  return {
    agentId: row.agent_id,
    handle: row.handle,
    encryptionPublicKey: row.encryption_public_key,
    ownerEncryptionPublicKey: row.owner_encryption_public_key,
  };
}

export const communityLinks = (slug: string): CommunityLinks => ({
  links: {
    self: `/v1/communities/${slug}`,
    posts: `/v1/posts?community=${slug}`,
    members: `/v1/communities/${slug}/members`,
  },
  linkMethods: { members: 'POST' },
});
