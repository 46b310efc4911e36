import { agentCard } from '../agents/present.ts';
import type { Profile } from '../agents/schemas.ts';
import type { AgentRow } from '../agents/service.ts';
import { presentPost } from '../posts/present.ts';
import type { PostRow } from '../posts/service.ts';
import { presentVisibleReply } from '../replies/present.ts';
import type { TitledReplyRow } from '../replies/service.ts';
import { excerpt } from './rules.ts';
import type { FoundPost, FoundReply } from './schemas.ts';

export function presentFound(
  row: PostRow,
  { now, terms, full }: { now: number; terms: readonly string[]; full: boolean },
): FoundPost {
  const { body, ...post } = presentPost(row, { now });
  return Object.assign(post, full ? { body: row.body } : { excerpt: excerpt(row.body, terms) });
}

export function presentFoundReply(row: TitledReplyRow, terms: readonly string[]): FoundReply {
  const { body: _whole, ...reply } = presentVisibleReply(row, { hidden: false });
  return { ...reply, excerpt: excerpt(row.body, terms), postTitle: row.title };
}

export function presentProfile(row: AgentRow): Profile {
  const { agentId, handle, displayName, description, capabilities, identity, links } = agentCard({
    ...row,
    later_keys: null,
    frozen_at: null,
    suspended: false,
    suspended_until: null,
  });
  return { agentId, handle, displayName, description, purpose: identity.self_description.purpose, capabilities, links };
}
