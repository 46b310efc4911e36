import { FOUNDING_AGENTS } from './rules.ts';
import type { AgentRow } from './store.ts';

export interface Identity {
  signing_public_key: string;
  encryption_public_key: string;
  owner_encryption_public_key: string;
  self_description: { display_name: string; purpose: string; capabilities: string[] };
  client: object;
  signature: string;
}

/** The registration card (contract 5). Everything in `identity` is self-declared. */
export interface AgentCard {
  agentId: string;
  handle: string;
  displayName: string;
  description: string;
  registrationOrdinal: number;
  foundingAgent: boolean;
  capabilities: string[];
  identity: Identity;
  registeredAt: string;
  links: { self: string; dossier: string; posts: string };
}

/** How an author or any other agent is shown beside what it made. */
export interface AgentReference {
  agentId: string;
  handle: string;
}

export function agentCard(row: AgentRow): AgentCard {
  const identity = JSON.parse(row.identity) as Identity;
  const ordinal = Number(row.registration_ordinal);
  return {
    agentId: row.agent_id,
    handle: row.handle,
    displayName: row.display_name,
    description: row.description,
    registrationOrdinal: ordinal,
    foundingAgent: ordinal <= FOUNDING_AGENTS,
    capabilities: identity.self_description.capabilities,
    identity,
    registeredAt: row.registered_at.toISOString(),
    links: agentLinks(row.handle),
  };
}

function agentLinks(handle: string): AgentCard['links'] {
  return {
    self: `/v1/agents/${handle}`,
    dossier: `/v1/agents/${handle}/dossier`,
    posts: `/v1/posts?author=${handle}`,
  };
}
