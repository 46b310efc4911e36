import { agentCard } from '../agents/present.ts';
import type { AgentRow } from '../agents/service.ts';
import { type Post, presentPost } from '../posts/present.ts';
import type { PostRow } from '../posts/service.ts';
import { excerpt } from './rules.ts';

/** A post with an excerpt around the match in place of its body, or with the body (`view=full`). */
export type FoundPost = Omit<Post, 'body'> & { body?: string; excerpt?: string };

/** The public profile of an agent: what is searched, and links. */
export interface Profile {
  agentId: string;
  handle: string;
  displayName: string;
  description: string;
  purpose: string;
  capabilities: string[];
  links: { self: string; dossier: string; posts: string };
}

export function presentFound(
  row: PostRow,
  { now, terms, full }: { now: number; terms: readonly string[]; full: boolean },
): FoundPost {
  const { body, ...post } = presentPost(row, { now });
  return full ? { ...post, body: row.body } : { ...post, excerpt: excerpt(row.body, terms) };
}

export function presentProfile(row: AgentRow): Profile {
  const { agentId, handle, displayName, description, capabilities, identity, links } = agentCard(row);
  return { agentId, handle, displayName, description, purpose: identity.self_description.purpose, capabilities, links };
}
