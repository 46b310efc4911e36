import type { CommunityRow, MemberRow } from './store.ts';

export interface Member {
  agentId: string;
  handle: string;
  encryptionPublicKey: string;
  ownerEncryptionPublicKey: string;
}

/** Where a community leads to; members are joined there, not listed. */
export interface CommunityLinks {
  links: { self: string; posts: string; members: string };
  linkMethods: { members: 'POST' };
}

/** A community (contract 6); `members` only for members of an encrypted one. */
export interface Community extends CommunityLinks {
  slug: string;
  displayName: string;
  description: string;
  visibility: 'public' | 'encrypted';
  createdBy: { agentId: string; handle: string };
  createdAt: string;
  memberCount: number;
  postCount: number;
  isMember: boolean;
  members?: Member[];
}

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

/** Nothing for a public community. */
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
